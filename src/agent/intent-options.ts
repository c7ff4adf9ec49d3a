import { type AcceptanceCriterion, REQUEST_ANSWERED } from '../model/plan/goal.ts';
import type { IntentSpec } from '../model/plan/intent.ts';
import type { RiskClass } from '../model/policy/risk.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import type { BoundTool } from '../ports/bound-tool.ts';
import type { Planner } from '../ports/model/planner.ts';

type CriterionOptions = Omit<AcceptanceCriterion, 'rank'> & Partial<Pick<AcceptanceCriterion, 'rank'>>;

/** One kind of request that the agent accepts. */
export interface IntentOptions {
  readonly intent: string;
  readonly description: string;
  readonly risk?: RiskClass;
  readonly taskClass?: string;
  readonly modality?: string;
  readonly capability?: string;
  /** Withholds the result of such a request until a compliance reviewer releases it. */
  readonly regulated?: boolean;
  /**
   * Acceptance criteria and the evidence that shows each one. A criterion is primary unless it sets `rank`. Without
   * criteria the run ends when the planner proposes the end and the completion check permits it.
   */
  readonly criteria?: readonly CriterionOptions[];
}

export const INTENT_OPTIONS: readonly string[] = [
  'intent',
  'description',
  'risk',
  'taskClass',
  'modality',
  'capability',
  'regulated',
  'criteria',
];

export function intentOf(options: IntentOptions): IntentSpec {
  const { intent, description, risk = 'high', taskClass = 'task', modality = 'text', capability = intent } = options;
  const declared = options.criteria ?? [];
  const criteria =
    declared.length === 0
      ? [REQUEST_ANSWERED]
      : declared.map((criterion) => ({ rank: 'primary' as const, ...criterion }));
  const spec = { intent, description, task_class: taskClass, risk, modality, capability, criteria };
  return options.regulated === undefined ? spec : { ...spec, regulated: options.regulated };
}

interface Declared {
  readonly name: string;
  readonly tools: readonly BoundTool[];
  readonly planner: Planner;
}

/**
 * The intents of an agent that declares none: one for each written plan, or a single one with the name of the agent.
 * The descriptions of the tools describe them, because users see the description of an intent; see ADR 0064.
 */
export function defaultIntents({ name, tools, planner }: Declared): readonly IntentOptions[] {
  const specs = tools.map(({ spec }) => spec);
  const plans = Object.entries(planner?.written ?? {});
  if (plans.length === 0) return [{ intent: name, description: describe(name, specs) }];
  return plans.map(([intent, plan]) => {
    const used = new Set(plan?.steps?.map((step) => step?.tool));
    return {
      intent,
      description: describe(
        intent,
        specs.filter((spec) => used.has(spec.name)),
      ),
    };
  });
}

const DESCRIBED_MAX = 10;

/** Joins the first sentences of the tools' descriptions. Tools that only end a plan are left out. */
function describe(name: string, specs: readonly ToolSpec[]): string {
  const tasks = specs
    .filter(({ speaks }) => speaks === undefined)
    .slice(0, DESCRIBED_MAX)
    .map(taskOf);
  return tasks.length === 0 ? name : tasks.join('; ');
}

/** The first sentence of a description. An imported tool without a description of the host has only its name. */
function taskOf({ name, description, source, trusted, vouched }: ToolSpec): string {
  if (source !== undefined && !trusted && vouched === undefined) return name;
  const [first = ''] = description.trim().split(/(?<=[.!?])\s|\n/u);
  return first.replace(/(?<![.!?;\s])[.!?;\s]+$/u, '') || name;
}
