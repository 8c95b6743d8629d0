import { afterEach, beforeEach, describe, expect } from "bun:test";
import type { BrowserContext } from "playwright-core";
import type { AddedUser } from "../../src/accounts/accounts.ts";
import { connectPurpose } from "../../src/accounts/magic-links.ts";
import { connectAddress } from "../../src/addresses.ts";
import { currentChromium, watchPage } from "../fixtures/browser/chromium.ts";
import { sharedPages } from "../fixtures/browser/shared-pages.ts";
import { LISTENER } from "../fixtures/servers/linking-server.ts";
import { type ListeningServer, startTestServer } from "../fixtures/servers/listening-server.ts";
import { testWith } from "../fixtures/real-parts.ts";
import { type ListeningSpotify, startSpotify } from "../fixtures/spotify/listen.ts";

const test = testWith(currentChromium.name, currentChromium.isInstalled);

describe("linking an account in a browser", () => {
  const pages = sharedPages(currentChromium);
  let context: BrowserContext;
  let upstream: ListeningSpotify;
  let server: ListeningServer;
  let ada: AddedUser;
  let address: string;

  beforeEach(async () => {
    upstream = startSpotify();
    upstream.spotify.addUser(LISTENER);
    server = await startTestServer({
      realSources: true,
      fetch: (url, init) => fetch(url, init),
      settings: {
        spotifyApiUrl: upstream.url,
        spotifyAccountsUrl: upstream.url,
        rateLimitSeconds: "0",
      },
    });
    ada = await server.addUser("ada", false);
    const { magicLinks } = server.accounts;
    address = connectAddress(
      server.url,
      "en",
      "spotify",
      magicLinks.issue(ada.user, connectPurpose("spotify")),
    );
    context = await pages.context();
  });
  afterEach(async () => {
    await pages.closeAll();
    await server.stop();
    await upstream.stop();
  });

  test("leads from the printed address by the owner's app and Spotify's page to music that is followed", async () => {
    const { page, complaints, hosts } = watchPage(await context.newPage());
    await page.goto(address);
    await page.getByText(`${server.url}/callback/spotify`, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Copy" }).waitFor();
    await page.getByLabel("Client ID").fill(upstream.spotify.clientId);
    await page.getByRole("button", { name: "Save and continue" }).click();
    await page.getByRole("link", { name: "Continue to Spotify" }).click();
    await page.waitForURL(`${upstream.url}/authorize?**`);
    await page.getByRole("link", { name: "Agree" }).click();
    await page.getByRole("heading", { name: "Spotify is linked" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/callback/spotify");
    expect(await page.locator("p.lead").innerText()).toContain("Ada Listens");
    expect(complaints.filter((text) => /Content Security Policy|Error/.test(text))).toEqual([]);
    expect([...hosts].toSorted()).toEqual(
      [server.url, upstream.url].map((url) => new URL(url).host).toSorted(),
    );

    const headers = { "x-api-key": ada.key };
    const answer = await fetch(`${server.url}/api/v1/now-playing`, { headers });
    const { data } = await answer.json();
    expect(data).toMatchObject({ is_playing: true, track: { name: LISTENER.track.title } });
  });
});
