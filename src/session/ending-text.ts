import type { RunState } from '../kernel/index.ts';
import { greetingIn } from '../model/events/answer-text.ts';
import { isSuccess, type TerminalCode } from '../model/fault/terminal-code.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import { offerOf } from '../model/text/courtesy.ts';

/** The words of each ending for the person who asked. An ending with `offers` lists what the agent can do. */
// biome-ignore format: a table is read by its columns, one row a line
const ENDING_TEXTS: Readonly<Record<TerminalCode, { readonly text: string; readonly offers?: true }>> = {
  SUCCESS: { text: 'Your request is done.' },
  PARTIAL_SUCCESS: { text: 'A part of your request is done.' },
  IMPOSSIBLE: { text: 'I cannot do this.', offers: true },
  MISSING_INFO: { text: 'I could not go on, because information is missing. Please ask again with all details.' },
  AMBIGUOUS_INTENT: { text: 'I could not tell what you want me to do.', offers: true },
  CONFIRM_REQUIRED: { text: 'I stopped, because this was not approved in time.' },
  REVIEW_REQUIRED: { text: 'I stopped, because a person has to review this first.' },
  BUDGET_EXHAUSTED: { text: 'I stopped, because this needs more work than I am allowed to do.' },
  TIMEOUT: { text: 'I stopped, because this took too long.' },
  VALIDATION_FAIL: { text: 'I could not complete this with a result that I can rely on.' },
  LOW_CONFIDENCE: { text: 'I am not sure enough of the result to show it.' },
  SOURCE_CONFLICT: { text: 'My sources contradict each other, so I cannot answer this.' },
  REPEATED_FAILURE: { text: 'I tried several times and could not complete this.' },
  PERMISSION_DENIED: { text: 'I am not permitted to do this.' },
  UNSAFE_DETECTION: { text: 'I cannot work on this request.' },
  UNAVAILABLE_DEP: { text: 'A service that I need is not available. Please try again later.' },
  USER_CANCEL: { text: 'This request was cancelled.' },
};

/** Texts for reasons that say more than their code. */
const REASON_TEXTS: ReadonlyMap<string, string> = new Map([
  ['approval_rejected', 'I stopped, because this was not approved.'],
  ['goal_missing', 'Your message is empty. Please say what you need.'],
]);

/** The text of a run for the person who asked: its answer, or how it ended. Null while the run goes on. */
export function endingText({ ending, intake, work }: RunState, agent: AgentSpec | undefined): string | null {
  const { terminal, response } = ending;
  if (terminal === null) return null;
  const answer = response?.text ?? greetingIn(terminal) ?? '';
  if (answer !== '') return answer;
  const { code, reason, detail } = terminal;
  const { text, offers } = ENDING_TEXTS[code];
  const blocked = intake.goal?.acceptance_criteria.find(({ id }) => id === detail?.['criterion']);
  const parts = [
    REASON_TEXTS.get(reason) ?? text,
    reason === 'capability_missing' && blocked !== undefined
      ? `I have no means for this: ${withoutPeriod(blocked.statement)}.`
      : '',
    !isSuccess(code) && work.effects.size > 0 ? 'Some steps had been carried out before that.' : '',
    offers === true && agent !== undefined ? offerOf(agent.intents) : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

const withoutPeriod = (statement: string): string => statement.trim().replace(/\.+$/u, '');
