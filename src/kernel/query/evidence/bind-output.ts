import type { BoundOutput, OutputField } from '../../../model/evidence/output.ts';
import { isJsonList, type Json } from '../../../model/json/json.ts';
import { pointerToken } from '../../../model/json/pointer.ts';
import type { Problem } from '../../../model/json/problem.ts';
import { handlePlaces } from '../../../model/json/sealed.ts';
import { Binding, looksLikeBinding, type Plan } from '../../../model/plan/plan.ts';
import type { KernelEnv } from '../../env.ts';
import type { RunState } from '../../state/run-state.ts';
import { resolveBindings } from '../../verify/bindings.ts';
import { BIND_IT, type OutputCheck, type OutputTerms, unsupported } from '../../verify/output.ts';
import { isReactive } from '../plan/reactive-route.ts';
import { directAnswer, directReply } from '../plan/reasoning.ts';
import { committedFact } from './committed.ts';
import { supportedLiterals } from './output-literals.ts';

/**
 * Whether the run has to end with an output, according to its manifest. A single call and an answer without tools need
 * none.
 */
export function owesOutput(state: RunState): boolean {
  const { manifest, intake } = state;
  const isDirect = (directAnswer(state) ?? directReply(state)) !== null;
  return manifest?.output_schema !== undefined && intake.goal?.call === undefined && !isDirect;
}

/** The output that the agent had declared when the run started; null for a single call. */
export function declaredOutput({ output }: KernelEnv, { manifest, intake }: RunState): OutputCheck | null {
  const isExempt = manifest?.output_schema === undefined || intake.goal?.call !== undefined;
  return output === undefined || isExempt ? null : output;
}

/** The schema and rules that the output of a proposed plan must meet. */
export function outputTerms(env: KernelEnv, state: RunState): { readonly output?: OutputTerms } {
  const declared = declaredOutput(env, state);
  if (declared === null) return {};
  const { schema } = declared;
  const literalsOf: OutputTerms['literalsOf'] = (output) => supportedLiterals(env, state, schema, output);
  return { output: { schema, isOwed: (plan) => isOwed(env, state, plan), literalsOf } };
}

/** Whether a plan must bind the output. Questions and direct answers need not; in reactive mode only the last decision must. */
function isOwed(env: KernelEnv, { ending }: RunState, { answer, reply, steps }: Plan): boolean {
  const last = steps.at(-1);
  const speaks = last === undefined ? undefined : env.tools.get(last.tool)?.speaks;
  if (answer !== undefined || reply !== undefined || speaks === 'clarify') return false;
  return !isReactive(env) || speaks === 'respond' || ending.output?.owed === true;
}

/** The resolved output, or the problems that prevent it. */
export interface OutputRuling {
  readonly bound: BoundOutput | null;
  readonly problems: readonly Problem[];
}

/** Resolves the output of the active plan from committed facts, and checks it against its schema. */
export function bindOutput(env: KernelEnv, state: RunState, { schema, check }: OutputCheck): OutputRuling {
  const output = state.planning.active?.plan.output;
  if (output === undefined) return refuse({ code: 'output_invalid', path: '/output', message: MISSING });
  const resolved = resolveBindings({ output }, (id) => committedFact(state, id)?.value);
  if (!resolved.ok) return refuse({ ...resolved.problem, message: `output: ${resolved.problem.message}` });
  const value = resolved.args['output'] ?? null;
  if (isTooLong(value)) return refuse({ code: 'output_invalid', path: '/output', message: TOO_LONG });
  const literals = supportedLiterals(env, state, schema, output);
  const problems = [
    ...literals.flatMap(({ at, field }) =>
      field === null ? [unsupported(at, `no committed fact supports it: ${BIND_IT}`)] : [],
    ),
    ...boundFields(state, output).flatMap(({ at, ref }) =>
      state.work.disputed.includes(ref) ? [unsupported(at, `sources contradict each other about ${ref}`)] : [],
    ),
    ...handlePlaces(value).map((at) => unsupported(at, 'the value is sealed and may not leave the run')),
    ...check(value).map((problem) => ({
      ...problem,
      path: `/output${problem.path}`,
      message: `output${problem.path}: ${problem.message}`,
    })),
  ];
  if (problems.length > 0) return { bound: null, problems };
  const supported = literals.flatMap(({ field }) => (field === null ? [] : [field]));
  return { bound: { value, fields: [...boundFields(state, output), ...supported].toSorted(byPlace) }, problems };
}

const MISSING = `the criteria are met and the output is missing: end with it; ${BIND_IT}`;

/** A binding is short and its value may be long: without a limit, a list of bindings multiplies what a tool returned. */
const LENGTH_MAX = 1_000_000;
const TOO_LONG = `the output has more than ${LENGTH_MAX} characters: bind smaller parts`;

/** Counts as far as the limit only. */
function isTooLong(value: Json): boolean {
  let length = 0;
  const count = (part: Json): boolean => {
    length += typeof part === 'string' ? part.length : 1;
    if (length > LENGTH_MAX) return true;
    if (typeof part !== 'object' || part === null) return false;
    return Object.entries(part).some(([key, child]) => {
      length += isJsonList(part) ? 0 : key.length;
      return count(child);
    });
  };
  return count(value);
}

const refuse = (problem: Problem): OutputRuling => ({ bound: null, problems: [problem] });

const byPlace = (a: OutputField, b: OutputField): number => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);

/** The committed field behind each binding of an output. */
function boundFields(state: RunState, part: Json, at: string = ''): readonly OutputField[] {
  if (typeof part !== 'object' || part === null) return [];
  const isBinding: boolean = looksLikeBinding(part);
  if (isBinding) {
    const { $from, path: pointer } = Binding.parse(part);
    const fact = committedFact(state, $from);
    return fact === null ? [] : [{ at, ref: fact.evidenceId, pointer, trusted: fact.trusted }];
  }
  const children = isJsonList(part) ? part.entries() : Object.entries(part);
  return [...children].flatMap(([key, child]) => boundFields(state, child, at + pointerToken(String(key))));
}
