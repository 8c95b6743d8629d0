import { type SettingName, settingNames, settings } from "../config.ts";
import type { Language } from "../languages.ts";

/** What each setting means. English is the setting's own help; a missing translation is a type error. */
const translations: Readonly<
  Record<Exclude<Language, "en">, Readonly<Record<SettingName, string>>>
> = {
  fr: {
    data: "Dossier qui contient la base de données et la clé secrète.",
    host: "Adresse à laquelle Marquee répond ; 0.0.0.0 ou :: pour tous les réseaux.",
    port: "Port d’écoute ; 0 prend n’importe quel port libre et l’affiche.",
    baseUrl: "Adresse publique, avec un préfixe de chemin si un proxy sert Marquee sous un chemin.",
    allowedHosts: "Autres noms d’hôte auxquels ce serveur répond, séparés par des virgules.",
    trustedProxies: "Proxys inverses dont X-Forwarded-For est accepté, séparés par des virgules.",
    coverSearch:
      "Où les utilisateurs peuvent faire chercher les pochettes que leur lecteur n’a pas : musicbrainz, ou musicbrainz,deezer.",
    playerHosts:
      "Hôtes que les utilisateurs autres que le propriétaire peuvent saisir pour leur lecteur, et qui sont permis pour les hooks et les pochettes, séparés par des virgules.",
    webnowplayingPort:
      "Port de cette machine où l’extension de navigateur WebNowPlaying du propriétaire trouve Marquee.",
    broadcastHost:
      "Adresse à laquelle les logiciels de DJ et de radio peuvent diffuser ; 0.0.0.0 ou :: pour tous les réseaux.",
    broadcastPort:
      "Port pour les logiciels de DJ et de radio, ou le premier libre des neuf suivants ; 0 pour aucun.",
    owner: "Nom du premier utilisateur, créé au premier démarrage.",
    demo: "Les utilisateurs qui n’ont connecté aucune musique ont la playlist de démo.",
    open: "Si un démarrage sur un ordinateur avec interface graphique, ou marquee open, ouvre le navigateur sur un lien de connexion : auto ou never.",
    files:
      "Dossier pour les fichiers de texte et de pochette de ce que chaque utilisateur écoute, qu’OBS peut afficher.",
    rateLimitSeconds:
      "Chaque clé peut appeler chaque endpoint une fois dans ce délai, en secondes ; 0 supprime la limite.",
    musicPrefix: "Premier mot de music_connected, music_display_name et music_product dans l’API.",
    spotifyClientId: "Identifiant client de votre application sur developer.spotify.com.",
    spotifyClientSecret:
      "Secret client de cette application, si vous voulez l’utiliser ; de préférence dans un fichier.",
    spotifyBudget:
      "Nombre maximal d’appels à Spotify en 30 secondes, pour tous les utilisateurs ensemble.",
    spotifyApiUrl: "Adresse de l’API Web de Spotify.",
    spotifyAccountsUrl: "Adresse du service de comptes de Spotify.",
    lastfmApiUrl: "Adresse de l’API de Last.fm, ou d’un serveur qui fonctionne de même.",
    lastfmApiKey: "Clé d’API de last.fm/api/account/create ; de préférence dans un fichier.",
    listenbrainzApiUrl: "Adresse de l’API de ListenBrainz, ou d’un serveur qui fonctionne de même.",
    twitchClientId:
      "Identifiant client de votre application publique sur dev.twitch.tv, qui lie les chats Twitch.",
    twitchIdUrl: "Adresse où Twitch délivre les tokens.",
    twitchApiUrl: "Adresse de l’API de Twitch.",
    twitchEventsubUrl: "Adresse où Twitch transmet ce qui se dit dans les chats.",
    metricsToken: "Token bearer qui donne accès à /metrics ; de préférence dans un fichier.",
    secretKey: "Clé qui chiffre les secrets enregistrés ; de préférence dans un fichier.",
    logLevel: "Quantité d’informations dans le journal : error, warn, info ou debug.",
    logFormat: "Format d’une ligne du journal : text ou json.",
  },
  es: {
    data: "Carpeta que contiene la base de datos y la clave secreta.",
    host: "Dirección en la que responde Marquee; 0.0.0.0 o :: para todas las redes.",
    port: "Puerto en el que responde Marquee; 0 toma uno libre cualquiera y lo muestra.",
    baseUrl: "Dirección pública, con un prefijo de ruta si un proxy sirve Marquee en una ruta.",
    allowedHosts: "Otros nombres de host a los que responde este servidor, separados por comas.",
    trustedProxies: "Proxies inversos en cuyo X-Forwarded-For se confía, separados por comas.",
    coverSearch:
      "Dónde puede buscar Marquee, si un usuario quiere, las portadas que su reproductor no tiene: musicbrainz, o musicbrainz,deezer.",
    playerHosts:
      "Hosts que los usuarios que no son el propietario pueden indicar para su reproductor, y que se permiten para hooks y portadas, separados por comas.",
    webnowplayingPort:
      "Puerto de este equipo en el que la extensión de navegador WebNowPlaying del propietario encuentra a Marquee.",
    broadcastHost:
      "Dirección en la que pueden emitir los programas de DJ y de radio; 0.0.0.0 o :: para todas las redes.",
    broadcastPort:
      "Puerto para programas de DJ y de radio, o el primero libre de los nueve siguientes; 0 para ninguno.",
    owner: "Nombre del primer usuario, creado en el primer inicio.",
    demo: "Los usuarios que no han conectado música ven la lista de demostración.",
    open: "Indica si un inicio en un ordenador con interfaz gráfica, o marquee open, abre el navegador con un enlace de inicio de sesión: auto o never.",
    files:
      "Carpeta para los archivos de texto y de portada de lo que escucha cada usuario, que OBS puede mostrar.",
    rateLimitSeconds:
      "Cada clave puede llamar a cada endpoint una vez en este tiempo, en segundos; 0 quita el límite.",
    musicPrefix:
      "Primera palabra de music_connected, music_display_name y music_product en la API.",
    spotifyClientId: "ID de cliente de tu aplicación en developer.spotify.com.",
    spotifyClientSecret:
      "Secreto de cliente de esa aplicación, si quieres usarlo; mejor en un archivo.",
    spotifyBudget: "Máximo de llamadas a Spotify en 30 segundos, para todos los usuarios juntos.",
    spotifyApiUrl: "Dirección de la API web de Spotify.",
    spotifyAccountsUrl: "Dirección del servicio de cuentas de Spotify.",
    lastfmApiUrl: "Dirección de la API de Last.fm, o de un servidor que funcione igual.",
    lastfmApiKey: "Clave de API de last.fm/api/account/create; mejor en un archivo.",
    listenbrainzApiUrl: "Dirección de la API de ListenBrainz, o de un servidor que funcione igual.",
    twitchClientId:
      "ID de cliente de tu aplicación pública en dev.twitch.tv, que vincula los chats de Twitch.",
    twitchIdUrl: "Dirección en la que Twitch emite los tokens.",
    twitchApiUrl: "Dirección de la API de Twitch.",
    twitchEventsubUrl: "Dirección en la que Twitch transmite lo que se dice en los chats.",
    metricsToken: "Abre /metrics a quien lo envíe como token bearer; mejor en un archivo.",
    secretKey: "Clave que cifra los secretos guardados; mejor en un archivo.",
    logLevel: "Cuánto se registra: error, warn, info o debug.",
    logFormat: "Formato de una línea del registro: text o json.",
  },
  pt: {
    data: "Pasta que contém o banco de dados e a chave secreta.",
    host: "Endereço em que o servidor escuta; 0.0.0.0 ou :: para todas as redes.",
    port: "Porta em que o servidor escuta; 0 usa qualquer porta livre e mostra qual foi.",
    baseUrl:
      "Endereço público, com um prefixo de caminho se um proxy servir o Marquee abaixo dele.",
    allowedHosts: "Outros nomes de host a que este servidor responde, separados por vírgulas.",
    trustedProxies: "Proxies reversos cujo X-Forwarded-For é aceito, separados por vírgulas.",
    coverSearch:
      "Onde o Marquee pode procurar, se um usuário quiser, as capas que o player dele não tem: musicbrainz, ou musicbrainz,deezer.",
    playerHosts:
      "Hosts que os usuários que não são o dono podem informar para o player deles, e que são permitidos para hooks e capas, separados por vírgulas.",
    webnowplayingPort:
      "Porta desta máquina em que a extensão de navegador WebNowPlaying do dono encontra o Marquee.",
    broadcastHost:
      "Endereço em que programas de DJ e de rádio podem transmitir; 0.0.0.0 ou :: para todas as redes.",
    broadcastPort:
      "Porta para programas de DJ e de rádio, ou a primeira livre das nove seguintes; 0 para nenhuma.",
    owner: "Nome do primeiro usuário, criado na primeira inicialização.",
    demo: "Os usuários que não conectaram música recebem a playlist de demonstração.",
    open: "Define se uma inicialização em um computador com interface gráfica, ou marquee open, abre o navegador com um link de acesso: auto ou never.",
    files:
      "Pasta para os arquivos de texto e de capa do que cada usuário está ouvindo, que o OBS consegue mostrar.",
    rateLimitSeconds:
      "Cada chave pode chamar cada endpoint uma vez neste tempo, em segundos; 0 desliga o limite.",
    musicPrefix: "Primeira palavra de music_connected, music_display_name e music_product na API.",
    spotifyClientId: "ID do cliente do seu app em developer.spotify.com.",
    spotifyClientSecret:
      "Segredo do cliente desse app, se você quiser usar; de preferência em um arquivo.",
    spotifyBudget: "Máximo de chamadas ao Spotify em 30 segundos, somando todos os usuários.",
    spotifyApiUrl: "Endereço da Web API do Spotify.",
    spotifyAccountsUrl: "Endereço do serviço de contas do Spotify.",
    lastfmApiUrl: "Endereço da API do Last.fm, ou de um servidor que funciona do mesmo jeito.",
    lastfmApiKey: "Chave de API de last.fm/api/account/create; de preferência em um arquivo.",
    listenbrainzApiUrl:
      "Endereço da API do ListenBrainz, ou de um servidor que funciona do mesmo jeito.",
    twitchClientId:
      "ID do cliente do seu aplicativo público em dev.twitch.tv, que conecta os chats da Twitch.",
    twitchIdUrl: "Endereço em que a Twitch emite os tokens.",
    twitchApiUrl: "Endereço da API da Twitch.",
    twitchEventsubUrl: "Endereço em que a Twitch informa o que se diz nos chats.",
    metricsToken: "Abre /metrics para quem enviar este token bearer; de preferência em um arquivo.",
    secretKey: "Chave que criptografa os segredos salvos; de preferência em um arquivo.",
    logLevel: "Quanto é registrado no log: error, warn, info ou debug.",
    logFormat: "Formato de uma linha do log: text ou json.",
  },
  de: {
    data: "Ordner mit der Datenbank und dem geheimen Schlüssel.",
    host: "Adresse, unter der Marquee erreichbar ist; 0.0.0.0 oder :: für alle Netzwerkschnittstellen.",
    port: "Port, unter dem Marquee erreichbar ist; 0 nimmt einen beliebigen freien und zeigt ihn an.",
    baseUrl:
      "Öffentliche Adresse, mit Pfad, falls ein Proxy Marquee unterhalb eines Pfades ausliefert.",
    allowedHosts: "Weitere Hostnamen, auf die dieser Server antwortet, durch Kommas getrennt.",
    trustedProxies:
      "Reverse-Proxys, deren X-Forwarded-For Marquee vertraut, durch Kommas getrennt.",
    coverSearch:
      "Wo Nutzer nach Covern suchen lassen können, die ihr Player nicht hat: musicbrainz oder musicbrainz,deezer.",
    playerHosts:
      "Hosts, die andere Nutzer als der Eigentümer für ihren Player eintragen dürfen und die für Hooks und Cover erlaubt sind, durch Kommas getrennt.",
    webnowplayingPort:
      "Port dieses Rechners, an dem die Browsererweiterung WebNowPlaying des Eigentümers Marquee findet.",
    broadcastHost:
      "Adresse, an die DJ- und Radioprogramme senden dürfen; 0.0.0.0 oder :: für alle Netze.",
    broadcastPort:
      "Port für DJ- und Radioprogramme, oder der erste freie der neun danach; 0 für keinen.",
    owner: "Name des ersten Nutzers, der beim ersten Start angelegt wird.",
    demo: "Nutzer, die keine Musik verbunden haben, bekommen die Demo-Wiedergabeliste.",
    open: "Ob ein Start auf einem Rechner mit grafischer Oberfläche, oder marquee open, den Browser mit einem Anmeldelink öffnet: auto oder never.",
    files:
      "Ordner für Text- und Coverdateien mit dem, was jeder Nutzer hört; OBS kann sie anzeigen.",
    rateLimitSeconds:
      "Jeder Schlüssel darf jeden Endpunkt in dieser Zeit einmal aufrufen, in Sekunden; 0 schaltet die Grenze ab.",
    musicPrefix:
      "Erstes Wort von music_connected, music_display_name und music_product in der API.",
    spotifyClientId: "Client-ID deiner App auf developer.spotify.com.",
    spotifyClientSecret:
      "Client-Secret dieser App, falls du es verwenden möchtest; am besten in einer Datei angeben.",
    spotifyBudget: "Höchstzahl der Aufrufe an Spotify in 30 Sekunden, für alle Nutzer zusammen.",
    spotifyApiUrl: "Adresse der Web-API von Spotify.",
    spotifyAccountsUrl: "Adresse des Kontendienstes von Spotify.",
    lastfmApiUrl: "Adresse der API von Last.fm oder eines Servers mit derselben API.",
    lastfmApiKey: "API-Schlüssel von last.fm/api/account/create; am besten in einer Datei angeben.",
    listenbrainzApiUrl: "Adresse der API von ListenBrainz oder eines Servers mit derselben API.",
    twitchClientId:
      "Client-ID deiner öffentlichen Anwendung auf dev.twitch.tv, mit der Twitch-Chats verknüpft werden.",
    twitchIdUrl: "Adresse, unter der Twitch Token ausgibt.",
    twitchApiUrl: "Adresse der API von Twitch.",
    twitchEventsubUrl: "Adresse, unter der Twitch mitteilt, was in Chats geschrieben wird.",
    metricsToken:
      "Öffnet /metrics für alle, die es als Bearer-Token senden; am besten in einer Datei angeben.",
    secretKey:
      "Schlüssel, der gespeicherte Geheimnisse verschlüsselt; am besten in einer Datei angeben.",
    logLevel: "Wie viel protokolliert wird: error, warn, info oder debug.",
    logFormat: "Format einer Protokollzeile: text oder json.",
  },
};

export function settingMeanings(language: Language): Readonly<Record<SettingName, string>> {
  if (language !== "en") return translations[language];
  return Object.fromEntries(settingNames.map((name) => [name, settings[name].help])) as Record<
    SettingName,
    string
  >;
}

/** The settings whose default is told in words; the others show a value that one could enter. */
type WordedFallback =
  | "allowedHosts"
  | "trustedProxies"
  | "playerHosts"
  | "webnowplayingPort"
  | "owner"
  | "files"
  | "spotifyClientId"
  | "spotifyClientSecret"
  | "lastfmApiKey"
  | "twitchClientId"
  | "secretKey"
  | "metricsToken";

/** The defaults that are told in words. English is the setting's own text. */
const fallbacks: Readonly<
  Record<Exclude<Language, "en">, Readonly<Record<WordedFallback, string>>>
> = {
  fr: {
    allowedHosts: "aucun, hors l’hôte de l’URL de base et les noms de cette machine",
    trustedProxies: "aucun",
    playerHosts: "aucun : seul le propriétaire saisit des adresses",
    webnowplayingPort: "aucun : aucun navigateur ne peut s’annoncer",
    owner: "votre nom sur cet ordinateur",
    files: "aucun : aucun fichier n’est écrit",
    spotifyClientId: "ce que le propriétaire a saisi",
    spotifyClientSecret: "aucun : Spotify n’en a pas besoin",
    lastfmApiKey: "aucune : Last.fm ne peut pas être connecté",
    twitchClientId: "ce que le propriétaire a saisi",
    secretKey: "secret.key dans le dossier de données",
    metricsToken: "aucun : il n’y a pas de métriques",
  },
  es: {
    allowedHosts: "ninguno, salvo el host de la URL base y los nombres de este equipo",
    trustedProxies: "ninguno",
    playerHosts: "ninguno: solo el propietario indica direcciones",
    webnowplayingPort: "ninguno: ningún navegador puede informar",
    owner: "tu nombre en este ordenador",
    files: "ninguna: no se escribe ningún archivo",
    spotifyClientId: "lo que el propietario ha indicado",
    spotifyClientSecret: "ninguno: Spotify no lo necesita",
    lastfmApiKey: "ninguna: no se puede conectar Last.fm",
    twitchClientId: "lo que el propietario ha indicado",
    secretKey: "secret.key en la carpeta de datos",
    metricsToken: "ninguno: no hay métricas",
  },
  pt: {
    allowedHosts: "nenhum além do host da URL base e dos nomes desta máquina",
    trustedProxies: "nenhum",
    playerHosts: "nenhum: só o dono informa endereços",
    webnowplayingPort: "nenhuma: nenhum navegador pode informar",
    owner: "seu nome neste computador",
    files: "nenhuma: nenhum arquivo é gravado",
    spotifyClientId: "o que o dono informou",
    spotifyClientSecret: "nenhum: o Spotify não precisa",
    lastfmApiKey: "nenhuma: o Last.fm não pode ser conectado",
    twitchClientId: "o que o dono informou",
    secretKey: "secret.key na pasta de dados",
    metricsToken: "nenhum: não há métricas",
  },
  de: {
    allowedHosts: "keine außer dem Host der Basis-URL und den Namen dieses Rechners",
    trustedProxies: "keine",
    playerHosts: "keine: nur der Eigentümer gibt Adressen ein",
    webnowplayingPort: "keiner: kein Browser kann melden",
    owner: "dein Name auf diesem Rechner",
    files: "keiner: es werden keine Dateien geschrieben",
    spotifyClientId: "was der Eigentümer eingegeben hat",
    spotifyClientSecret: "keins: Spotify braucht keins",
    lastfmApiKey: "keiner: Last.fm lässt sich nicht verbinden",
    twitchClientId: "was der Eigentümer eingegeben hat",
    secretKey: "secret.key im Datenordner",
    metricsToken: "keins: es gibt keine Metriken",
  },
};

const isWorded = (name: SettingName): name is WordedFallback => name in fallbacks.de;

/** What a setting's default is, in words; `undefined` where it is a value. */
export const settingFallback = (language: Language, name: SettingName): string | undefined => {
  if (!isWorded(name)) return undefined;
  return language === "en" ? settings[name].fallbackText : fallbacks[language][name];
};
