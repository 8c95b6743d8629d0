import type { UpstreamApp } from "../accounts/upstreams.ts";
import { fieldOf } from "../http/form-field.ts";
import { readText } from "../i18n/entered.ts";

/** What is entered of an app. */

const LONGEST_APP_TEXT = 128;

const appText = {
  longest: LONGEST_APP_TEXT,
  allowed: `letters and digits, at most ${LONGEST_APP_TEXT}`,
  parse(text: string) {
    const trimmed = text.trim();
    return /^[0-9A-Za-z_-]+$/.test(trimmed) ? trimmed : undefined;
  },
};

export const APP_FIELDS = {
  clientId: { ...appText, placeholder: "client-id", refusal: "connection.clientId" },
  clientSecret: {
    ...appText,
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
