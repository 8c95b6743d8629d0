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
  connect: {
    title: "Ligar {source}",
    lead: "O Marquee vai ouvir o que {user} toca no {source}. Apenas lê, não pode alterar nada.",
    go: "Continuar para o {source}",
    appTitle: "Primeiro, o {source} pede uma aplicação",
    appLead: "Cada servidor tem a sua, é gratuita e cria-se num minuto.",
    appCreate: "Abra o painel do {source}, crie uma aplicação e escolha “Web API”.",
    appRedirect: "Introduza isto como URI de redirecionamento, exatamente assim:",
    appEnter: "Copie para aqui o ID de cliente da aplicação:",
    clientId: "ID de cliente (Client ID)",
    clientSecret: "Segredo do cliente",
    optional: "não é preciso",
    save: "Guardar e continuar",
    clientIdWrong:
      "Um ID de cliente só tem letras e algarismos. Copie-o outra vez do painel do {source}.",
    otherApp: "Usar outra aplicação",
    redirectUri: "URI de redirecionamento",
    copy: "Copiar",
    copied: "Copiado",
    ownerFirst:
      "O proprietário deste servidor tem de introduzir primeiro uma aplicação do {source}. Depois, abra esta página de novo.",
    redirectRefused:
      "O {source} só aceita este endereço com https ou como http://127.0.0.1. Inicie o Marquee com um URL base desse tipo.",
    doneTitle: "O {source} está ligado",
    doneLead: "O Marquee passa a ouvir {account}. Pode fechar esta página.",
    doneUntil: "O {source} termina este acesso a {day}. O Marquee avisa antes.",
    endedTitle: "Esta ligação já não serve",
    endedText: "Já foi usada, ou tem mais de meia hora. Peça uma nova onde a obteve.",
    failedTitle: "O {source} não foi ligado",
    tryAgain: "Tentar de novo",
    failures: {
      appMissing:
        "Ainda não foi introduzida nenhuma aplicação. Abra a ligação de novo e introduza uma.",
      denied: "Recusou na página do {source}. Nada foi alterado.",
      wrongApp:
        "O {source} não conhece esta aplicação, ou o segredo está errado. Verifique ambos no painel do {source}.",
      wrongRedirect:
        "A aplicação não inclui o URI de redirecionamento deste servidor. Acrescente-o no painel do {source}, exatamente como o Marquee o mostra.",
      notOnAppList:
        "Esta conta não está na lista de utilizadores da aplicação. O proprietário pode acrescentá-la no painel do {source}, em “User Management”.",
      noPremium:
        "O {source} exige Premium: o proprietário da aplicação precisa de uma conta Premium.",
      codeExpired: "Demorou demasiado, ou a resposta já tinha sido usada. Tente de novo.",
      limited: "O {source} recebeu demasiados pedidos desta aplicação. Tente mais tarde.",
      unreachable:
        "Não é possível contactar o {source}, ou este responde de forma estranha. Tente daqui a pouco.",
      lost: "Isto foi começado noutro navegador, ou há mais de dez minutos. Abra a ligação de novo.",
    },
  },
  notFound: {
    title: "Não há nada aqui",
    text: "O endereço pode estar mal escrito ou ter sido substituído por um novo.",
  },
};
