import type { Words } from "./en.ts";

export const pt: Words = {
  endonym: "Português",
  widget: {
    nowPlaying: "Em reprodução",
    paused: "Em pausa",
    nothingPlaying: "Nada em reprodução",
    by: "de",
    overlay: "Música em reprodução",
  },
  home: {
    title: "Marquee: o que está a tocar, na sua transmissão",
    lead: "Este servidor diz a transmissões e bots o que os seus utilizadores estão a ouvir.",
    apiTitle: "A API",
    apiText: "Um pedido com a sua chave devolve a faixa, o artista, o álbum e a posição.",
    widgetTitle: "A sobreposição",
    widgetText:
      "Adicione o endereço do seu widget ao OBS como fonte de navegador, com 500 de largura e 120 de altura. O fundo é transparente.",
    descriptionLink: "Descrição da API (OpenAPI)",
    languages: "Idiomas",
  },
  notFound: {
    title: "Não há nada aqui",
    text: "O endereço pode estar mal escrito ou ter sido substituído por um novo.",
  },
};
