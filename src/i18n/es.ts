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
  connect: {
    title: "Vincular {source}",
    lead: "Marquee oirá lo que {user} reproduce en {source}. Solo lee, no puede cambiar nada.",
    go: "Continuar en {source}",
    appTitle: "Primero, {source} pide una aplicación",
    appLead: "Cada servidor tiene la suya, es gratuita y se crea en un minuto.",
    appCreate: "Abre el panel de {source}, crea una aplicación y elige «Web API».",
    appRedirect: "Introduce esto como URI de redirección, tal cual:",
    appEnter: "Copia aquí el ID de cliente de la aplicación:",
    clientId: "ID de cliente (Client ID)",
    clientSecret: "Secreto de cliente",
    optional: "no hace falta",
    save: "Guardar y continuar",
    clientIdWrong:
      "Un ID de cliente solo tiene letras y cifras. Cópialo otra vez del panel de {source}.",
    otherApp: "Usar otra aplicación",
    redirectUri: "URI de redirección",
    copy: "Copiar",
    copied: "Copiado",
    ownerFirst:
      "El propietario de este servidor debe introducir antes una aplicación de {source}. Después, abre esta página otra vez.",
    redirectRefused:
      "{source} solo acepta esta dirección con https o como http://127.0.0.1. Inicia Marquee con una URL base de ese tipo.",
    doneTitle: "{source} está vinculado",
    doneLead: "Marquee oye a {account} desde ahora. Puedes cerrar esta página.",
    doneUntil: "{source} termina este acceso el {day}. Marquee te avisará antes.",
    endedTitle: "Este enlace ya no sirve",
    endedText: "Ya se ha usado o tiene más de media hora. Pide uno nuevo donde lo obtuviste.",
    failedTitle: "{source} no se ha vinculado",
    tryAgain: "Intentar de nuevo",
    failures: {
      appMissing:
        "Todavía no se ha introducido ninguna aplicación. Abre el enlace otra vez e introduce una.",
      denied: "Has dicho que no en la página de {source}. No se ha cambiado nada.",
      wrongApp:
        "{source} no conoce esta aplicación, o su secreto es incorrecto. Comprueba ambos en el panel de {source}.",
      wrongRedirect:
        "La aplicación no incluye la URI de redirección de este servidor. Añádela en el panel de {source}, tal como la muestra Marquee.",
      notOnAppList:
        "Esta cuenta no está en la lista de usuarios de la aplicación. Su propietario puede añadirla en el panel de {source}, en «User Management».",
      noPremium:
        "{source} pide Premium: el propietario de la aplicación necesita una cuenta Premium.",
      codeExpired: "Ha tardado demasiado, o la respuesta ya se había usado. Inténtalo de nuevo.",
      limited: "{source} ha recibido demasiadas llamadas de esta aplicación. Inténtalo más tarde.",
      unreachable:
        "No se puede contactar con {source}, o responde de forma extraña. Inténtalo dentro de un momento.",
      lost: "Esto se empezó en otro navegador o hace más de diez minutos. Abre el enlace otra vez.",
    },
  },
  notFound: {
    title: "Aquí no hay nada",
    text: "Puede que la dirección esté mal escrita o que se haya sustituido por otra nueva.",
  },
};
