import type { User } from "../accounts/users.ts";
import type { ChatService } from "../chat/service.ts";
import type { Config, SettingName } from "../config.ts";
import type { Hub } from "../channels/hub.ts";
import type { Store } from "../db/store.ts";
import type { ValueOf } from "../field.ts";
import type { HooksFeature } from "../hooks/feature.ts";
import type { Notice } from "../html/notices.ts";
import type { Parts } from "../http/parts.ts";
import type { EnteredField } from "../i18n/entered.ts";
import type { Words } from "../i18n/index.ts";
import type { Language } from "../languages.ts";
import type { Live } from "../overlay/live.ts";
import type { Vault } from "../vault/vault.ts";

/** An input of an action: an argument or option of its command, a field of its form. */
export interface Input<Value> extends EnteredField<Value> {
  /** A sentence for `--help`. */
  readonly help?: string;
  /**
   * By default an argument where a value has to be given, and an option where not. A hidden one is
   * sent by forms, or put there by `readHere`.
   */
  readonly as?: "argument" | "option" | "hidden";
  /** What a value looks like in `--help`; by default the input's name. */
  readonly placeholder?: string;
  /** Takes one text or more, and gives a list of values. */
  readonly several?: true;
  /** The bytes of a file, in base64: a form uploads the file, and a command names it. */
  readonly isFile?: true;
}

export type Inputs = Readonly<Record<string, Input<unknown>>>;

/** What the inputs give: what is parsed, or where nothing is given, the fallback. */
export type Values<I extends Inputs> = {
  readonly [Name in keyof I]:
    | (I[Name] extends { readonly several: true } ? readonly ValueOf<I[Name]>[] : ValueOf<I[Name]>)
    | (I[Name] extends { readonly fallback: infer Fallback } ? Fallback : never);
};

/** The texts that were entered, by the names of inputs. What is missing was not given. */
export type Texts = Readonly<Record<string, string | readonly string[]>>;

/** What only a running server has. */
export interface Running {
  readonly hub: Hub;
  readonly live: Live;
  readonly hooks: HooksFeature;
  /** Loads what links accounts at chat services. */
  readonly chat: () => Promise<ChatService>;
  /** Has the server stop, after what it answers now. */
  stop(): void;
}

/** What actions work with. */
export interface ActionParts extends Pick<
  Parts,
  "accounts" | "sources" | "clock" | "config" | "baseUrl" | "listeningAddress" | "network"
> {
  readonly store: Store;
  readonly vault: Vault;
  /** Absent where a command is carried out without a server. */
  readonly running?: Running;
}

/** What an action is carried out with, and for whom. */
export interface OwnersCall extends ActionParts {
  /** Who asks: somebody who is signed in, or whoever may run commands on this machine. */
  readonly actor: User | "operator";
  /** The language of who asks. */
  readonly language: Language;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
  /** Makes a remark that is not part of the result: standard error of a command. A page drops it. */
  remark(text: string): void;
}

/** The same for an action of one user. */
export interface Call extends OwnersCall {
  /** Whose things it is about. */
  readonly user: User;
}

/** What only the command of an action has. */
export interface CommandExtras {
  /** Command lines for `--help`. */
  readonly examples?: readonly string[];
  /** Settings that it takes besides those of all commands. */
  readonly settings?: readonly SettingName[];
  /** Settings of the caller that count even where a server carries it out. */
  readonly settingsOfCaller?: readonly SettingName[];
  /** Makes the data folder if there is none. A missing one may be a mistyped path. */
  readonly createsFolder?: true;
  /**
   * Puts the contents of files in the place of their names, which only the caller may read, and whole paths
   * in the place of relative ones.
   */
  readHere?(texts: Texts, config: Config): Texts;
  /** Keys besides the setting's under which the database may be encrypted. */
  otherKeys?(texts: Texts): readonly string[];
  /** The usage line, where it is not made of the inputs. */
  readonly usage?: string;
  /** What `--help` says at its end. */
  readonly help?: () => string;
}

interface Common<I extends Inputs, Result> {
  /** The command's words, and what a form sends: `hook add`. */
  readonly name: string;
  /** What it does, as the command's help says it. */
  readonly help: string;
  readonly inputs: I;
  readonly command?: CommandExtras;
  /** What `--json` prints, a line each. */
  documents(result: Result): readonly unknown[];
}

/** How an action is carried out, by whom it may be asked for. */
type Runs<I extends Inputs, Result> =
  | {
      /** Each user for themselves. Its command names the user first. */
      readonly who: "self";
      /** @throws {Refused} */
      run(call: Call, values: Values<I>): Result | Promise<Result>;
      /**
       * Waits for the end of what `run` has begun. Only a command does, when it has shown what was begun.
       * @throws {Refused}
       */
      wait?(call: Call, begun: Result): Promise<Result>;
    }
  | {
      /** The owner of the server. */
      readonly who: "owner";
      /** @throws {Refused} */
      run(call: OwnersCall, values: Values<I>): Result | Promise<Result>;
    };

/** What its result looks like. */
type Shows<Result> =
  | {
      /** What the page and the command show when it is done. */
      notice(words: Words, result: Result, language: Language): Notice;
      /** The lines of the command, where they are more than the notice's. */
      lines?(result: Result): readonly string[];
    }
  | {
      /** It changes nothing: it has a command, and pages show its result in their own way. */
      table(result: Result): readonly (readonly string[])[];
    };

/** One thing that can be done here, by a form or a command. */
export type Action<I extends Inputs, Result> = Common<I, Result> & Runs<I, Result> & Shows<Result>;

/** Any action, as the list of all has it. */
export type AnyAction = Action<Inputs, unknown>;

/** Gives an action the types of its inputs and its result. */
export const action = <const I extends Inputs, Result>(
  definition: Action<I, Result>,
): Action<I, Result> => definition;

/** The notice of what was done. */
export const good = (
  text: string,
  more: Omit<Notice, "tone" | "text"> | false = false,
): Notice & { readonly tone: "good" } => ({ tone: "good", text, ...more });
