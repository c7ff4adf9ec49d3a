import { Fault } from '../../model/fault/fault.ts';
import type { ModelUse } from '../../ports/model/language-model.ts';
import { choicesOf } from '../../roles/client/model-choices.ts';
import type { UsesModels } from '../../roles/client/used-models.ts';
import { plainReviewer } from '../../roles/model-reviewer.ts';
import {
  derivedLine,
  type ExplainedLine,
  type ExplainedSection,
  type ExplainFacts,
  joinNames,
  optionLine,
} from './explanation.ts';

/** A model role besides the planner. `none` says how a run goes on without it. */
interface RoleRow {
  readonly name: string;
  readonly role: 'composer' | 'answerJudge' | 'drafter' | 'classifier' | 'reviewer';
  readonly none: string;
  readonly whyNone: string;
}

const ROLE_ROWS: readonly RoleRow[] = [
  {
    name: 'writes answers',
    role: 'composer',
    none: 'no model: answers state the observed facts',
    whyNone: 'the agent has no `model`',
  },
  {
    name: 'judges sentences',
    role: 'answerJudge',
    none: 'no model: facts replace sentences that are not provable',
    whyNone: 'only provable sentences are released until you name a judge',
  },
  {
    name: 'writes open arguments',
    role: 'drafter',
    none: 'no model: plans leave no argument open',
    whyNone: 'the boundary does not grant `tool_arguments`, or the agent has no `model`',
  },
  {
    name: 'classifies requests',
    role: 'classifier',
    none: 'no model: the only intent applies, or the user says which one',
    whyNone: 'the agent has one intent, or no `model`',
  },
  {
    name: 'reviews failures',
    role: 'reviewer',
    none: 'rules without a model',
    whyNone: 'rules cost nothing and are always the same',
  },
];

export function explainModels(facts: ExplainFacts): ExplainedSection {
  const { assembled, isStated } = facts;
  const { ports, pins } = assembled;
  const roles = ROLE_ROWS.map(({ name, role, none, whyNone }): ExplainedLine => {
    const part = ports[role] ?? null;
    const isNone = part === null || part === plainReviewer;
    return optionLine(isStated(`models.${role}`) || isStated(`world.${role}`), {
      name,
      value: isNone ? none : modelsOf(facts, part),
      option: `models.${role}`,
      why: isNone ? whyNone : 'the `model` of the agent does it',
    });
  });
  const judges = optionLine(isStated('models.judges') || isStated('world.judges'), {
    name: 'judges of results',
    value: joinNames(ports.judges.map(({ spec }) => spec.name)),
    option: 'models.judges',
    why: 'rules without a model judge each result',
  });
  const mode = pins.env.limits.planning === 'whole' ? 'the whole task before the first step' : 'one step at a time';
  return {
    title: 'Models',
    lines: [plannerLine(facts), derivedLine('plans', mode, 'the planner decides it'), ...roles, judges],
  };
}

function plannerLine(facts: ExplainFacts): ExplainedLine {
  const { assembled, isStated } = facts;
  const { planner } = assembled.ports;
  const written = Object.keys(planner.written ?? {});
  const plans = written.length === 0 ? [] : [`plans that you wrote for ${joinNames(written)}`];
  const models = planner.uses === undefined ? [] : [modelsOf(facts, planner)];
  const safer = planner.safer === undefined ? [] : [`after an unreliable result ${modelsOf(facts, planner.safer)}`];
  return optionLine(isStated('planner') || isStated('models.planner'), {
    name: 'planner',
    value: [...plans, ...models, ...safer].join('; ') || 'code of your own',
    option: 'planner',
    why: '`planFirst` with the `model` of the agent',
  });
}

/** The ids of the models that a role asks, fallbacks included. */
function modelsOf({ assembled }: ExplainFacts, { uses = [] }: UsesModels): string {
  const ids = uses.flatMap(({ profile }: ModelUse) =>
    choicesOf(assembled.ports.models, profile).flatMap((choice) => (Fault.is(choice) ? [] : [choice.model.id])),
  );
  return joinNames([...new Set(ids)], 'code of your own');
}
