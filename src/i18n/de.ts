import type { Words } from "./en.ts";

export const de: Words = {
  endonym: "Deutsch",
  widget: {
    nowPlaying: "Läuft gerade",
    paused: "Pausiert",
    nothingPlaying: "Keine Wiedergabe",
    by: "von",
    overlay: "Musik, die gerade läuft",
  },
  home: {
    title: "Marquee: was gerade läuft, in deinem Stream",
    lead: "Dieser Server sagt Streams und Bots, was seine Nutzer gerade hören.",
    apiTitle: "Die API",
    apiText: "Eine Anfrage mit deinem Schlüssel liefert Titel, Künstler, Album und Position.",
    widgetTitle: "Das Overlay",
    widgetText:
      "Füge die Adresse deines Widgets in OBS als Browserquelle hinzu, 500 breit und 120 hoch. Der Hintergrund ist durchsichtig.",
    descriptionLink: "Beschreibung der API (OpenAPI)",
    languages: "Sprachen",
  },
  connect: {
    title: "{source} verbinden",
    lead: "Marquee hört, was {user} auf {source} spielt. Es liest nur und kann nichts verändern.",
    go: "Weiter zu {source}",
    appTitle: "Zuerst verlangt {source} eine App",
    appLead: "Jeder Server hat seine eigene; sie ist kostenlos und in einer Minute angelegt.",
    appCreate:
      "Öffnen Sie das Dashboard von {source}, legen Sie eine App an und wählen Sie „Web API“.",
    appRedirect: "Tragen Sie dies als Redirect-URI ein, genau so, wie es hier steht:",
    appEnter: "Kopieren Sie die Client-ID der App hierher:",
    clientId: "Client-ID",
    clientSecret: "Client-Secret",
    optional: "nicht nötig",
    save: "Speichern und weiter",
    clientIdWrong:
      "Eine Client-ID besteht nur aus Buchstaben und Ziffern. Kopieren Sie sie noch einmal aus dem Dashboard von {source}.",
    otherApp: "Eine andere App verwenden",
    redirectUri: "Redirect-URI",
    copy: "Kopieren",
    copied: "Kopiert",
    ownerFirst:
      "Zuerst muss der Eigentümer dieses Servers eine App von {source} eintragen. Öffnen Sie diese Seite danach noch einmal.",
    redirectRefused:
      "{source} nimmt diese Adresse nur mit https an oder als http://127.0.0.1. Starten Sie Marquee mit einer solchen Basis-URL.",
    doneTitle: "{source} ist verbunden",
    doneLead: "Marquee hört ab jetzt {account}. Sie können diese Seite schließen.",
    doneUntil: "{source} beendet diesen Zugang am {day}. Marquee erinnert Sie vorher daran.",
    endedTitle: "Dieser Link gilt nicht mehr",
    endedText:
      "Er wurde schon benutzt oder ist älter als eine halbe Stunde. Holen Sie sich einen neuen, wo Sie ihn bekommen haben.",
    failedTitle: "{source} wurde nicht verbunden",
    tryAgain: "Noch einmal versuchen",
    failures: {
      appMissing:
        "Es ist noch keine App eingetragen. Öffnen Sie den Link noch einmal und tragen Sie eine ein.",
      denied: "Sie haben auf der Seite von {source} abgelehnt. Es wurde nichts verändert.",
      wrongApp:
        "{source} kennt diese App nicht, oder ihr Secret ist falsch. Prüfen Sie beides im Dashboard von {source}.",
      wrongRedirect:
        "In der App fehlt die Redirect-URI dieses Servers. Tragen Sie sie im Dashboard von {source} ein, genau so, wie Marquee sie zeigt.",
      notOnAppList:
        "Dieses Konto steht nicht auf der Nutzerliste der App. Deren Eigentümer kann es im Dashboard von {source} unter „User Management“ hinzufügen.",
      noPremium: "{source} verlangt Premium: Wem die App gehört, der braucht ein Premium-Konto.",
      codeExpired:
        "Es hat zu lange gedauert, oder die Antwort wurde schon benutzt. Versuchen Sie es noch einmal.",
      limited:
        "{source} hat zu viele Anfragen von dieser App erhalten. Versuchen Sie es später noch einmal.",
      unreachable:
        "{source} ist nicht erreichbar oder antwortet unverständlich. Versuchen Sie es gleich noch einmal.",
      lost: "Dies wurde in einem anderen Browser begonnen oder vor mehr als zehn Minuten. Öffnen Sie den Link noch einmal.",
    },
  },
  notFound: {
    title: "Hier ist nichts",
    text: "Vielleicht ist die Adresse vertippt, oder sie wurde durch eine neue ersetzt.",
  },
};
