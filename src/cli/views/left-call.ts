import type { DescribedAgent, RunEvent } from '../../index.ts';
import { ago, instant } from './instants.ts';

type Tool = DescribedAgent['tools'][number];

/** A call whose process is gone, and from when on it can no longer be on its way. */
export interface LeftCall {
  readonly tool: string;
  readonly stepId: string;
  readonly until: number;
}

/** The call that whoever resumes a session waits for, if there is one. */
export function leftCall(events: readonly RunEvent[], tools: readonly Tool[], now: number): LeftCall | null {
  const at = events.findLastIndex(({ type }) => type === 'step_attempted');
  const sent = events[at];
  if (sent?.type !== 'step_attempted') return null;
  const until = sent.dispatch_before + sent.timeout_ms;
  if (until <= now || events.slice(at + 1).some((later) => 'call_id' in later && later.call_id === sent.call_id))
    return null;
  const tool = tools.find(({ name }) => name === sent.tool);
  return tool === undefined || !isWaitedFor(tool) ? null : { tool: sent.tool, stepId: sent.step_id, until };
}

/** What only looks is asked again at once, and what nobody can find out about or send twice is for a person, at once as well. */
const isWaitedFor = ({ side_effect, idempotency, probes }: Tool): boolean =>
  side_effect && (idempotency.kind !== 'none' || probes?.reconcile !== undefined);

export const leftCallWords = ({ tool, stepId, until }: LeftCall, now: number): string =>
  `${tool} (step ${stepId}) was sent by a process that is gone, and can be on its way until ${instant(until)}, ${ago(until, now)}: nothing is sent before that`;
