import type { EventOf, EventType, RunEvent } from '../../model/event.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { isStaleProblem, type Problem } from './problems.ts';

/** What is looked at: the record of a run, and what is known besides it. */
export interface Looked {
  readonly events: readonly RunEvent[];
  /** Calls on record without the approval they needed, as an audit has found them. */
  readonly unapproved: readonly { readonly step_id: string }[];
  /** Whether the queue of those who decide was too full when the run was looked at. */
  readonly saturated: boolean;
}

/** What shows a pathology, in a few words; null where nothing does. */
export type Sign = (looked: Looked) => string | null;

export const of = <T extends EventType>({ events }: Looked, type: T): readonly EventOf<T>[] =>
  events.filter((event): event is RunEvent & EventOf<T> => event.type === type);

/** Every reason for which the run was handed over or has ended. */
export const stopsOf = (looked: Looked): readonly { reason: string; code: string; detail: JsonObject }[] => [
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

/** The loop guard, by what it was that repeated. */
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

export const found =
  (kind: string): Sign =>
  (looked) =>
    [...of(looked, 'step_judged'), ...of(looked, 'run_judged')]
      .flatMap(({ findings }) => findings)
      .find((finding) => finding.kind === kind && finding.severity === 'high')?.detail ?? null;

/** The first of several that says something. */
export const either =
  (...signs: readonly Sign[]): Sign =>
  (looked) => {
    for (const sign of signs) {
      const said = sign(looked);
      if (said !== null) return said;
    }
    return null;
  };

/** How many sub-tasks a proposal names, whatever it is. */
export function subtasksIn(proposal: Json): number {
  if (!isJsonObject(proposal)) return 0;
  const { subtasks } = proposal;
  return subtasks !== undefined && isJsonList(subtasks) ? subtasks.length : 0;
}
