import type { UpstreamApp } from "../accounts/upstreams.ts";
import { matchingTrimmed } from "../field.ts";
import { fieldOf } from "../http/form-field.ts";
import { readText } from "../i18n/entered.ts";

/** What is entered of an app. */

const LONGEST_APP_TEXT = 128;

export const APP_FIELDS = {
  clientId: {
    longest: LONGEST_APP_TEXT,
    // As Spotify makes them, the one service whose app is entered here.
    ...matchingTrimmed(/^[0-9a-f]{32}$/i, "32 hexadecimal digits"),
    placeholder: "client-id",
    refusal: "connection.clientId",
  },
  clientSecret: {
    longest: LONGEST_APP_TEXT,
    ...matchingTrimmed(/^[0-9A-Za-z_-]+$/, `letters and digits, at most ${LONGEST_APP_TEXT}`),
    placeholder: "secret",
    secret: true,
    fallback: null,
    refusal: "connection.clientSecret",
  },
} as const;

/** The app that a form names. @throws {Refused} */
export function readApp(form: FormData): UpstreamApp {
  const secret = fieldOf(form, "clientSecret");
  return {
    clientId: readText("clientId", APP_FIELDS.clientId, fieldOf(form, "clientId")),
    clientSecret: secret === "" ? null : readText("clientSecret", APP_FIELDS.clientSecret, secret),
  };
}
