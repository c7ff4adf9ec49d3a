import { clearedInFull, type InFull } from '../../model/cleared-in-full.ts';
import type { EventOf, EventType, RunEvent } from '../../model/event.ts';
import type { Problem } from '../../model/problem.ts';
import type { ValidationResult } from '../../model/trace.ts';
import type { Scores } from '../../model/verdict.ts';

type Kind = ValidationResult['kind'];

/** What an evaluator looks at, by its name; whatever is not listed asks whether the work is good enough. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['schema', 'schema'],
  ['policy', 'safety'],
  ['safety', 'safety'],
  ['grounding', 'grounding'],
  ['evidence', 'grounding'],
  ['sources', 'grounding'],
  ['receipt', 'grounding'],
  ['assumptions', 'grounding'],
]);

/** Everything that was checked in a run, and how it came out. `accept` is what a score has to reach. */
export function validationsIn(events: readonly RunEvent[], accept: number): readonly ValidationResult[] {
  const steps = new Map<string, string>();
  return events.map(clearedInFull()).flatMap((event): readonly ValidationResult[] => {
    if (event.type === 'step_attempted') steps.set(event.call_id, event.step_id);
    if (event.type === 'step_verified') return [verified(event, steps.get(event.call_id) ?? null)];
    if (event.type === 'step_probed') return [probed(event, steps.get(event.call_id) ?? null)];
    if (event.type === 'step_judged') return scored(event.step_id, event.criteria, accept);
    if (event.type === 'run_judged') return [...scored(null, event.criteria, accept), ...unmet(event)];
    const tell = TELLERS[event.type] as ((event: InFull) => ValidationResult) | undefined;
    return tell === undefined ? [] : [tell(event)];
  });
}

type Teller<T extends EventType> = (event: Extract<InFull, { readonly type: T }>) => ValidationResult;

const TELLERS: { readonly [T in EventType]?: Teller<T> } = {
  policy_checked: ({ cleared, rule }) =>
    result('safety', null, 'goal_policy', cleared, rule === null ? 'no rule forbids the goal' : `the rule ${rule}`),
  plan_verified: ({ verdict, problems, checks }) =>
    result('schema', null, 'plan_verification', verdict === 'ok', told(problems, `${checks.length} checks passed`)),
  step_cleared: ({ step_id, policy }) =>
    result('safety', step_id, policy?.version ?? 'gateway', true, 'every layer let the call pass'),
  step_refused: ({ step_id, layer, code, message }) =>
    result(layer === 'schema' ? 'schema' : 'safety', step_id, `gateway:${layer}`, false, `${code}: ${message}`),
};

function verified(event: EventOf<'step_verified'>, stepId: string | null): ValidationResult {
  const { ok, validator, problems } = event;
  return result('schema', stepId, validator, ok, told(problems, 'the answer has the shape that was promised'));
}

const probed = ({ probe, as_expected, detail }: EventOf<'step_probed'>, stepId: string | null): ValidationResult =>
  result('grounding', stepId, probe, as_expected, detail);

const scored = (stepId: string | null, criteria: Scores, accept: number): readonly ValidationResult[] =>
  Object.entries(criteria).map(([id, score]) => {
    const kind = KINDS.get(id.slice(0, id.indexOf('@'))) ?? 'acceptance';
    return result(kind, stepId, id, score >= accept, `${score}, where ${accept} is needed`);
  });

const unmet = (event: EventOf<'run_judged'>): readonly ValidationResult[] =>
  event.unmet.map((criterion) => result('acceptance', null, criterion, false, 'nothing shows that it is met'));

const told = (problems: readonly Problem[], otherwise: string): string =>
  problems.length === 0 ? otherwise : problems.map(({ code, message }) => `${code}: ${message}`).join('; ');

const DETAIL_MAX = 2_000;

/** Details quote what was refused, which may have been refused for its very characters. */
function result(
  kind: Kind,
  step_id: string | null,
  validator_id: string,
  passed: boolean,
  detail: string,
): ValidationResult {
  const plain = detail.toWellFormed().replaceAll(/\p{Cc}/gu, ' ');
  return { kind, step_id, validator_id, passed, detail: plain.slice(0, DETAIL_MAX) };
}
