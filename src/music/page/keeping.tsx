import { ActionForm, ConfirmedAction, formOf, TickInput } from "../../dashboard/action-form.tsx";
import type { DashboardRequest } from "../../dashboard/request.ts";
import { Html } from "../../jsx.ts";
import type { HistoryChoice } from "../history.ts";
import { clearHistory, keepHistory, PERIOD_NAMES } from "../history-actions.ts";
import { Submit, Hint, Titled } from "../../html/parts.tsx";

interface KeepFormProps {
  readonly request: DashboardRequest;
}

/** What is shown while nothing is kept: what keeping is for, and how to begin. */
export function KeepForm({ request }: KeepFormProps): JSX.Element {
  const { history: t } = request.words;
  return (
    <Titled title={t.off}>
      <p safe>{t.limits}</p>
      <ChoiceForm request={request} times={PERIOD_NAMES} chosen="month" label={t.keep} />
    </Titled>
  );
}

/** What is kept, to change it, and to clear it. */
export function KeptSettings({
  request,
  choice: { keeps, followsStreams },
}: KeepFormProps & { readonly choice: HistoryChoice }): JSX.Element {
  const { history: t } = request.words;
  return (
    <Titled title={t.keepTitle}>
      <Hint text={t.limits} />
      <ChoiceForm
        request={request}
        times={["off", ...PERIOD_NAMES]}
        chosen={keeps ?? "off"}
        hint={t.shorter}
        followsStreams={followsStreams}
        label={t.save}
      />
      <ConfirmedAction
        form={formOf(request, clearHistory)}
        label={t.clear}
        consequence={t.clearText}
        go={t.clearGo}
      />
    </Titled>
  );
}

type Time = keyof DashboardRequest["words"]["history"]["periods"];

interface ChoiceFormProps extends KeepFormProps {
  readonly times: readonly Time[];
  readonly chosen: Time;
  readonly hint?: string;
  readonly followsStreams?: boolean;
  readonly label: string;
}

function ChoiceForm(props: ChoiceFormProps): JSX.Element {
  const { request, times, chosen, hint, followsStreams = false, label } = props;
  const { history: t } = request.words;
  const form = formOf(request, keepHistory);
  return (
    <ActionForm form={form} class="form wide">
      <fieldset class="periods">
        <legend safe>{t.keepFor}</legend>
        {times.map((time) => (
          <label class="ticked">
            <input
              type="radio"
              name="time"
              value={time}
              {...(time === chosen && { checked: true })}
            />
            <span safe>{t.periods[time]}</span>
          </label>
        ))}
      </fieldset>
      {hint !== undefined && <Hint text={hint} />}
      <TickInput
        form={form}
        name="streams"
        label={t.streams}
        hint={t.streamsHint}
        isOn={followsStreams}
      />
      <Submit label={label} />
    </ActionForm>
  );
}
