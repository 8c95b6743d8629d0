import { NotFoundError } from "elysia";

/** Thrown by a guard: the request goes no further, and this is its answer. */
export class TurnedAway extends Error {
  override readonly name = "TurnedAway";
  readonly response: Response;
  constructor(response: Response) {
    super("The request was turned away.");
    this.response = response;
  }
}

/** What there is at an address. @throws {NotFoundError} when that is nothing */
export function found<Answer>(answer: Answer | undefined): Answer {
  if (answer === undefined) throw new NotFoundError();
  return answer;
}
