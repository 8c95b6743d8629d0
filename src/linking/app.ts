import type { UpstreamApp } from "../accounts/upstreams.ts";
import { fieldOf } from "../http/form-field.ts";
import { readText } from "../i18n/entered.ts";

/** What is entered of an app. */

const LONGEST_APP_TEXT = 128;

const textOf = (pattern: RegExp) => (text: string) => {
  const trimmed = text.trim();
  return pattern.test(trimmed) ? trimmed : undefined;
};

export const APP_FIELDS = {
  clientId: {
    longest: LONGEST_APP_TEXT,
    // As Spotify makes them, the one service whose app is entered here.
    allowed: "32 hexadecimal digits",
    parse: textOf(/^[0-9a-f]{32}$/i),
    placeholder: "client-id",
    refusal: "connection.clientId",
  },
  clientSecret: {
    longest: LONGEST_APP_TEXT,
    allowed: `letters and digits, at most ${LONGEST_APP_TEXT}`,
    parse: textOf(/^[0-9A-Za-z_-]+$/),
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
