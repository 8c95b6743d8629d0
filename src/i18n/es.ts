import type { Words } from "./en.ts";

export const es: Words = {
  endonym: "Español",
  widget: {
    nowPlaying: "Reproduciendo",
    paused: "En pausa",
    nothingPlaying: "Nada en reproducción",
    by: "de",
    overlay: "Música en reproducción",
  },
  home: {
    title: "Marquee: lo que suena, en tu directo",
    lead: "Este servidor cuenta a directos y bots lo que escuchan sus usuarios.",
    apiTitle: "La API",
    apiText: "Una petición con tu clave devuelve el tema, el artista, el álbum y la posición.",
    widgetTitle: "La superposición",
    widgetText:
      "Añade la dirección de tu widget en OBS como fuente de navegador, 500 de ancho y 120 de alto. El fondo es transparente.",
    descriptionLink: "Descripción de la API (OpenAPI)",
    languages: "Idiomas",
  },
  notFound: {
    title: "Aquí no hay nada",
    text: "Puede que la dirección esté mal escrita o que se haya sustituido por otra nueva.",
  },
};
