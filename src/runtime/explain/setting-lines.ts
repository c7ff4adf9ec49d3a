import {
  type ExplainedLine,
  type ExplainedSection,
  type ExplainFacts,
  joinNames,
  optionLine,
  statedLine,
} from './explanation.ts';

/** A setting with one option: its value in words, and the reason for its default. */
interface SettingRow {
  readonly name: string;
  readonly option: string;
  readonly why: string;
  readonly value: (facts: ExplainFacts) => string;
}

const linesOf = (rows: readonly SettingRow[], facts: ExplainFacts): readonly ExplainedLine[] =>
  rows.map(({ name, option, why, value }) =>
    optionLine(facts.isStated(option), { name, option, why, value: value(facts) }),
  );

const AGENT_ROWS: readonly SettingRow[] = [
  {
    name: 'version',
    option: 'settings.version',
    why: 'the first version',
    value: ({ assembled: { pins } }) => pins.agent.version,
  },
  {
    name: 'instructions',
    option: 'instructions',
    why: 'the models get only the instructions of Ambit',
    value: ({ assembled: { pins } }) => pins.agent.instructions ?? 'none',
  },
  {
    name: 'environment and tier',
    option: 'settings.autonomy',
    why: 'the strictest environment, and the tier of agents whose plans are checked and bounded',
    value: ({ assembled: { pins } }) => `${pins.agent.autonomy.environment}, tier ${pins.agent.autonomy.tier}`,
  },
  {
    name: 'graph',
    option: 'graph',
    why: 'the graph of the tier and of the planner',
    value: ({ assembled: { pins } }) => pins.env.graph.spec.name,
  },
  {
    name: 'output',
    option: 'output',
    why: 'a run returns text and no structured output',
    value: ({ assembled: { pins } }) => (pins.agent.output === undefined ? 'text only' : 'text, and JSON of a schema'),
  },
  {
    name: 'sealed inputs',
    option: 'settings.sealedInputs',
    why: 'inputs are stored in plain text',
    value: ({ assembled: { pins } }) => joinNames(pins.agent.sealed_inputs ?? []),
  },
];

export const explainSettings = (facts: ExplainFacts): ExplainedSection => ({
  title: 'Agent',
  lines: [statedLine('name', facts.assembled.pins.agent.name, 'name'), ...linesOf(AGENT_ROWS, facts)],
});

const STORE_ROWS: readonly SettingRow[] = [
  {
    name: 'context',
    option: 'world.context',
    why: 'models see the request and the results of tools, and no other material',
    value: ({ assembled: { pins } }) => (pins.context.items.length === 0 ? 'none' : pins.context.context_id),
  },
  {
    name: 'memory',
    option: 'world.memory',
    why: 'a run remembers nothing of other runs',
    value: ({ assembled: { pins } }) =>
      pins.memory === undefined ? 'none' : `keeps ${joinNames(Object.keys(pins.memory.keep))}`,
  },
  {
    name: 'policies for calls',
    option: 'world.policy.calls',
    why: 'only the boundary, the roles and the gates decide',
    value: ({ assembled: { pins } }) => pins.env.policy.calls?.version ?? 'none',
  },
  {
    name: 'quota of a tenant',
    option: 'world.policy.quota',
    why: 'only the budget of the agent limits a run',
    value: ({ assembled: { pins } }) =>
      joinNames(Object.entries(pins.tenantQuota).map(([cap, most]) => `${cap} ${most}`)),
  },
  {
    name: 'detectors',
    option: 'world.policy.detectors',
    why: 'the detectors of the risk profile; a custom boundary has none',
    value: ({ assembled: { pins } }) => joinNames(pins.env.detectors),
  },
  {
    name: 'rubric of the critic',
    option: 'world.policy.rubric',
    why: 'the rubric of the highest risk of an intent',
    value: ({ assembled: { pins } }) => `${pins.env.rubric.name}@${pins.env.rubric.version}`,
  },
  {
    name: 'evaluators',
    option: 'world.policy.evaluators',
    why: 'the shipped evaluators of the rubric',
    value: ({ assembled: { pins } }) => joinNames(pins.env.rubric.evaluators),
  },
  {
    name: 'vault',
    option: 'world.vault',
    why: 'no tool and no input declares secret or personal values',
    value: ({ assembled: { ports } }) => (ports.vault === undefined ? 'none' : 'seals secret and personal values'),
  },
];

export const explainStore = (facts: ExplainFacts): ExplainedSection => {
  const { options, isStated } = facts;
  const store =
    options.world?.journal === undefined
      ? optionLine(isStated('store'), {
          name: 'journal',
          value: options.store ?? 'memory',
          option: 'store',
          why: 'runs end with the process; name a file, such as sqlite:ambit.db, to keep them',
        })
      : statedLine('journal', 'a journal of your own', 'world.journal');
  return { title: 'Store and surroundings', lines: [store, ...linesOf(STORE_ROWS, facts)] };
};

/** The requests that the agent accepts, with their criteria. */
export function explainRequests({ assembled, isStated }: ExplainFacts): ExplainedSection {
  const { intents } = assembled.pins.agent;
  const lines = intents.flatMap(({ intent, description, risk, criteria }): readonly ExplainedLine[] => [
    optionLine(isStated('intents'), {
      name: `intent ${intent}`,
      value: description,
      option: 'intents',
      why: 'one intent for each written plan, or a single one, described by the tools',
    }),
    optionLine(isStated(`intents.${intent}.criteria`), {
      name: `criteria of ${intent}`,
      value: criteria
        .map(({ statement, evidence }) => (evidence === undefined ? statement : `${statement} (evidence: ${evidence})`))
        .join(' '),
      option: 'intents[].criteria',
      why: 'the run ends when the planner proposes the end and the completion check permits it',
    }),
    optionLine(isStated(`intents.${intent}.risk`), {
      name: `risk of ${intent}`,
      value: risk,
      option: 'intents[].risk',
      why: 'a request counts as risky until you lower it, and higher risk means more checks',
    }),
  ]);
  return { title: 'Requests', lines };
}
