import type { Words } from "./en.ts";

export const fr: Words = {
  endonym: "Français",
  widget: {
    nowPlaying: "En cours de lecture",
    paused: "En pause",
    nothingPlaying: "Aucune lecture en cours",
    by: "de",
    overlay: "Musique en cours de lecture",
  },
  home: {
    title: "Marquee : ce qui passe, sur votre stream",
    lead: "Ce serveur indique aux streams et aux bots ce que ses utilisateurs écoutent.",
    apiTitle: "L’API",
    apiText:
      "Une seule requête avec votre clé renvoie le titre, l’artiste, l’album et la position de lecture.",
    widgetTitle: "L’incrustation",
    widgetText:
      "Ajoutez l’adresse de votre widget dans OBS comme source navigateur, largeur 500, hauteur 120. Le fond est transparent.",
    descriptionLink: "Description de l’API (OpenAPI)",
    languages: "Langues",
  },
  notFound: {
    title: "Il n’y a rien ici",
    text: "L’adresse est peut-être mal saisie, ou elle a été remplacée par une nouvelle.",
  },
};
