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
  connect: {
    title: "Relier {source}",
    lead: "Marquee entendra ce que {user} écoute sur {source}. Il lit, et ne peut rien modifier.",
    go: "Continuer vers {source}",
    appTitle: "D’abord, {source} demande une application",
    appLead: "Chaque serveur a la sienne, elle est gratuite et se crée en une minute.",
    appCreate:
      "Ouvrez le tableau de bord de {source}, créez une application et choisissez « Web API ».",
    appRedirect: "Saisissez ceci comme URI de redirection, exactement tel quel :",
    appEnter: "Copiez ici l’identifiant client de l’application :",
    clientId: "Identifiant client (Client ID)",
    clientSecret: "Code secret du client",
    optional: "facultatif",
    save: "Enregistrer et continuer",
    clientIdWrong:
      "Un identifiant client ne contient que des lettres et des chiffres. Copiez-le à nouveau depuis le tableau de bord de {source}.",
    otherApp: "Utiliser une autre application",
    redirectUri: "URI de redirection",
    copy: "Copier",
    copied: "Copié",
    ownerFirst:
      "Le propriétaire de ce serveur doit d’abord saisir une application {source}. Rouvrez ensuite cette page.",
    redirectRefused:
      "{source} n’accepte cette adresse qu’en https, ou sous la forme http://127.0.0.1. Démarrez Marquee avec une URL de base de ce type.",
    doneTitle: "{source} est relié",
    doneLead: "Marquee entend désormais {account}. Vous pouvez fermer cette page.",
    doneUntil: "{source} mettra fin à cet accès le {day}. Marquee vous le rappellera avant.",
    endedTitle: "Ce lien n’est plus valable",
    endedText:
      "Il a déjà servi, ou il a plus d’une demi-heure. Demandez-en un nouveau là où vous l’avez obtenu.",
    failedTitle: "{source} n’a pas été relié",
    tryAgain: "Réessayer",
    failures: {
      appMissing: "Aucune application n’a encore été saisie. Rouvrez le lien et saisissez-en une.",
      denied: "Vous avez refusé sur la page de {source}. Rien n’a été modifié.",
      wrongApp:
        "{source} ne connaît pas cette application, ou son code secret est faux. Vérifiez les deux dans le tableau de bord de {source}.",
      wrongRedirect:
        "L’application n’indique pas l’URI de redirection de ce serveur. Ajoutez-la dans le tableau de bord de {source}, exactement comme Marquee l’affiche.",
      notOnAppList:
        "Ce compte ne figure pas dans la liste des utilisateurs de l’application. Son propriétaire peut l’ajouter dans le tableau de bord de {source}, sous « User Management ».",
      noPremium:
        "{source} exige Premium : le propriétaire de l’application doit avoir un compte Premium.",
      codeExpired: "Cela a pris trop de temps, ou la réponse a déjà servi. Réessayez.",
      limited: "{source} a reçu trop d’appels de cette application. Réessayez plus tard.",
      unreachable:
        "{source} est injoignable ou répond de façon étrange. Réessayez dans un instant.",
      lost: "Cela a commencé dans un autre navigateur, ou il y a plus de dix minutes. Rouvrez le lien.",
    },
  },
  notFound: {
    title: "Il n’y a rien ici",
    text: "L’adresse est peut-être mal saisie, ou elle a été remplacée par une nouvelle.",
  },
};
