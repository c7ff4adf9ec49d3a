import type { JsonObject } from '../../model/json/json.ts';
import type { Problem } from '../../model/json/problem.ts';
import { hasPlaceholder, planForm } from '../../model/plan/plan.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import type { BindingSources } from './binding-sources.ts';
import { toProducer } from './bindings.ts';
import { bindingsOfDraft, type Drafting, draftProblem } from './drafts.ts';
import type { Fitting } from './fit/answer.ts';
import type { Producer } from './fit/domain.ts';
import { ANYTHING, rooted } from './fit/rooted.ts';
import { explainFit } from './fit/schema-fit.ts';
import { boundPlaces, type Hole, nearestBinding, readBinding } from './read-binding.ts';
import { type Placed, stepProblem } from './step-rules.ts';
import { allowListSchema, notAllowed, type ToolTable } from './tool-table.ts';

/** A binding whose value may or may not fit. It is not a problem, because the call is checked again with the value. */
export interface UnprovenBinding {
  readonly step_id: string;
  /** JSON Pointer into the plan. */
  readonly path: string;
  readonly from: string;
  readonly from_path: string;
}

export interface ArgumentReport {
  readonly problems: readonly Problem[];
  readonly unproven: readonly UnprovenBinding[];
}

const NOTHING_WRONG: ArgumentReport = Object.freeze({ problems: Object.freeze([]), unproven: Object.freeze([]) });

/** Checks the arguments of one step against its tool's input schema and allow-lists. */
export function examineArguments(
  placed: Placed,
  spec: ToolSpec | undefined,
  tools: ToolTable,
  sources: BindingSources,
  drafting: Drafting,
): ArgumentReport {
  const params = placed.step.params ?? {};
  if (!hasPlaceholder(params)) {
    const wrong = spec === undefined ? [] : tools.checkArguments(spec.name, params);
    if (wrong.length === 0) return NOTHING_WRONG;
    return { problems: wrong.map((problem) => inStep(placed, problem)), unproven: [] };
  }
  const problems: Problem[] = [];
  const holes: Hole[] = [];
  const shape = toProducer(params, (raw, path) => {
    if (planForm(raw) === 'draft') {
      problems.push(...examineDraft(placed, spec, { raw, path, drafting }, sources));
      return ANYTHING;
    }
    const found = bindStep(placed, raw, path, sources);
    if ('problem' in found) {
      problems.push(found.problem);
      return ANYTHING;
    }
    holes.push(found.hole);
    return found.producer;
  });
  if (spec === undefined) return { problems, unproven: [] };
  const fitting = explainFit(shape, rooted(spec.input_schema));
  const allowed = explainFit(shape, rooted(allowListSchema(spec)));
  problems.push(...misfits(placed, fitting, holes));
  problems.push(...allowed.misfits.map(({ path }) => inStep(placed, notAllowed(path))));
  const proven = fitting.answer === 'fits' && allowed.answer === 'fits';
  return {
    problems,
    unproven: holes.filter(({ certain }) => !(proven && certain)).map((hole) => unproven(placed, hole)),
  };
}

interface PlacedDraft {
  readonly raw: JsonObject;
  readonly path: string;
  readonly drafting: Drafting;
}

/** Checks that a draft may be written and that its sources exist. The drafted value is checked once it is there. */
function examineDraft(
  placed: Placed,
  spec: ToolSpec | undefined,
  { raw, path, drafting }: PlacedDraft,
  sources: BindingSources,
): readonly Problem[] {
  const wrong = draftProblem(raw, path, spec, drafting);
  if (wrong !== null) return [stepProblem(placed, 'argument_invalid', `/params${path}`, wrong)];
  return bindingsOfDraft(raw).flatMap(([below, binding]) => {
    const found = bindStep(placed, binding, path + below, sources);
    return 'problem' in found ? [found.problem] : [];
  });
}

function bindStep(placed: Placed, raw: JsonObject, path: string, sources: BindingSources): StepBinding {
  const at = `/params${path}`;
  const read = readBinding(raw, path, (from) => sources.find(from, placed.index, `/steps/${placed.index}${at}`));
  if (!('failure' in read)) return read;
  const { code, message, detail } = read.failure;
  return { problem: stepProblem(placed, code, at, message, detail) };
}

type StepBinding = { readonly problem: Problem } | { readonly hole: Hole; readonly producer: Producer };

/** Reports a misfit at or below a binding as the binding's, and any other as the literal's. */
function misfits(placed: Placed, fitting: Fitting, holes: readonly Hole[]): readonly Problem[] {
  const bound = boundPlaces(holes);
  return fitting.misfits.map(({ path, message }) => {
    const binding = nearestBinding(bound, path);
    if (binding === undefined) return stepProblem(placed, 'argument_invalid', `/params${path}`, message);
    const from = `${binding.$from}${binding.path}`;
    return stepProblem(placed, 'binding_type_mismatch', `/params${path}`, `what ${from} supplies ${message}`);
  });
}

function inStep(placed: Placed, { code, path, message }: Problem): Problem {
  return stepProblem(placed, code, `/params${path}`, message);
}

function unproven({ step, index }: Placed, { path, binding }: Hole): UnprovenBinding {
  return { step_id: step.id, path: `/steps/${index}/params${path}`, from: binding.$from, from_path: binding.path };
}
