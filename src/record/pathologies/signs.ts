import type { EventOf, EventType, RunEvent } from '../../model/events/event.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json/json.ts';

type Problem = EventOf<'plan_verified'>['problems'][number];

/** A value that the plan uses was looked up again since, or has expired. */
const isStaleProblem = ({ code, detail }: Problem): boolean =>
  code === 'contaminated_support' && detail?.['kind'] === 'stale';

const DENIED: ReadonlySet<string> = new Set([
  'tool_not_allowed',
  'approval_authority_exceeded',
  'argument_not_allowed',
  'permission_denied',
]);

/** The plan uses something that the run has no permission for. */
export const isDenied = ({ code }: Problem): boolean => DENIED.has(code);

/** Input of a diagnosis: the record of a run and facts from outside it. */
export interface DiagnosisInput {
  readonly events: readonly RunEvent[];
  /** Calls that an audit found without the approval they needed. */
  readonly unapproved: readonly { readonly step_id: string }[];
  /** Whether the queue of approvers was saturated at the time of the diagnosis. */
  readonly saturated: boolean;
}

/** Looks for a pathology and describes it in a few words; null if it is not there. */
export type Sign = (looked: DiagnosisInput) => string | null;

export const of = <T extends EventType>({ events }: DiagnosisInput, type: T): readonly EventOf<T>[] =>
  events.filter((event): event is RunEvent & EventOf<T> => event.type === type);

/** All reasons for which the run was escalated or ended. */
export const stopsOf = (looked: DiagnosisInput): readonly { reason: string; code: string; detail: JsonObject }[] => [
  ...of(looked, 'run_escalated').map(({ stop }) => ({
    reason: stop.reason,
    code: stop.code,
    detail: stop.detail ?? {},
  })),
  ...of(looked, 'run_terminated').map(({ reason, code, detail }) => ({ reason, code, detail })),
];

export const stopped =
  (...reasons: readonly string[]): Sign =>
  (looked) =>
    stopsOf(looked).find(({ reason }) => reasons.includes(reason))?.reason ?? null;

/** The loop guard stopped the run because something of one of these kinds repeated. */
export const looped =
  (...kinds: readonly string[]): Sign =>
  (looked) => {
    const stop = stopsOf(looked).find(({ detail }) => kinds.includes(String(detail['kind'])));
    return stop === undefined ? null : `${stop.reason}: ${String(stop.detail['kind'])}`;
  };

export const problem =
  (matches: (problem: Problem) => boolean): Sign =>
  (looked) =>
    of(looked, 'plan_verified')
      .flatMap(({ problems }) => problems)
      .find(matches)?.code ?? null;

export const stale: Sign = problem(isStaleProblem);

export const violated =
  (matches: (violation: EventOf<'violation_noted'>) => boolean): Sign =>
  (looked) =>
    of(looked, 'violation_noted').find(matches)?.why ?? null;

export const signFound =
  (kind: string): Sign =>
  (looked) =>
    [...of(looked, 'step_judged'), ...of(looked, 'run_judged')]
      .flatMap(({ findings }) => findings)
      .find((finding) => finding.kind === kind && finding.severity === 'high')?.detail ?? null;

/** The result of the first sign that is present. */
export const either =
  (...signs: readonly Sign[]): Sign =>
  (looked) => {
    for (const sign of signs) {
      const description = sign(looked);
      if (description !== null) return description;
    }
    return null;
  };

/** The number of sub-tasks in a proposal, which may be any JSON value. */
export function subtasksIn(proposal: Json): number {
  if (!isJsonObject(proposal)) return 0;
  const { subtasks } = proposal;
  return subtasks !== undefined && isJsonList(subtasks) ? subtasks.length : 0;
}
