import {
  type Agent,
  agent,
  type BoundTool,
  type LaneTool,
  lane,
  respond,
  type StartRequest,
  templatePlanner,
} from 'ambit';
import { z } from 'zod';

/** A small budget: a worker looks once or twice and reports. */
const A_LOOK = {
  stepsMax: 3,
  toolCallsMax: 3,
  externalApiCallsMax: 1,
  inputTokensMax: 1_000,
  outputTokensMax: 1_000,
  wallClockSecondsMax: 60,
  inferenceCostUsdMax: 0,
  retryCountMax: 1,
  reflectionPassesMax: 0,
  contextTokensMax: 1_000,
  memoryWritesMax: 0,
  sideEffectsMax: 0,
  replanAttemptsMax: 0,
} as const;

const about = z.object({ service: z.string() });

/** A worker with one read-only tool. It cannot roll back a deployment. */
function worker(name: string, bound: BoundTool, evidence: string): Agent {
  return agent({
    name,
    planner: templatePlanner({
      [name]: {
        plan_id: `plan_${name}`,
        intent: name,
        steps: [{ id: 'w1', tool: bound.spec.name, params: { service: { $slot: 'service' } } }],
        decision_checkpoints: [],
      },
    }),
    tools: [bound],
    intents: [
      {
        intent: name,
        description: `Looks at ${evidence}`,
        risk: 'low',
        criteria: [{ id: 'seen', statement: `The ${evidence} are known.`, evidence }],
      },
    ],
    boundary: 'incident_sre',
    budget: A_LOOK,
    settings: { roles: { sre: 'read_only' } },
  });
}

/** The fields of the logs that the answer states, with their titles. */
const LOGS = {
  errors: z.number().meta({ title: 'Errors in the last hour' }),
  first_error_at: z.string().meta({ title: 'First error at' }),
  message: z.string().meta({ title: 'Error message' }),
};

function looking(name: string, below: Agent, evidence: string, shape: z.ZodRawShape = {}): LaneTool {
  return lane({
    name: `look_at_${name}`,
    description: `Delegates the ${evidence} of a service to a worker`,
    agent: below,
    approvalMode: 'read_only',
    task: {
      inputSchema: about,
      outputSchema: z.object({
        [evidence]: z.looseObject({ service: z.string().meta({ title: 'Service' }), ...shape }),
      }),
      goal: ({ service }) => `Look at the ${evidence} of ${service}`,
      returns: [evidence],
    },
  });
}

/** The incident lead: two workers in parallel, then the list of deployments, then a rollback if a person approves. */
export function incidentAgent(tools: ReadonlyMap<string, BoundTool>): Agent {
  const named = (name: string): BoundTool => {
    const found = tools.get(`ops.${name}`);
    if (found === undefined) throw new Error(`the server has no tool ${name}`);
    return found;
  };
  const lanes = [
    looking('logs', worker('log_analyst', named('query_logs'), 'logs'), 'logs', LOGS),
    looking('metrics', worker('metrics_analyst', named('read_metrics'), 'metrics'), 'metrics'),
  ];
  return agent({
    name: 'incident_lead',
    planner: templatePlanner({
      'incident.resolve': {
        plan_id: 'plan_incident',
        intent: 'incident.resolve',
        steps: [
          { id: 's1', tool: 'look_at_logs', context_key: 'logs', params: { service: { $slot: 'service' } } },
          { id: 's2', tool: 'look_at_metrics', params: { service: { $slot: 'service' } } },
          {
            id: 's3',
            tool: 'ops.list_deploys',
            context_key: 'deploys',
            depends_on: ['s1', 's2'],
            params: { service: { $slot: 'service' } },
          },
          {
            id: 's4',
            tool: 'ops.roll_back',
            context_key: 'rollback',
            depends_on: ['s3'],
            requires: ['GATE_ONCALL'],
            params: { service: { $slot: 'service' }, to: { $from: 's3', path: '/previous' } },
          },
          // The answer states these facts without a model.
          {
            id: 's5',
            tool: 'respond',
            depends_on: ['s4'],
            inputs: ['logs', 'deploys', 'rollback'],
            params: { objective: 'say what was wrong and what was done' },
          },
        ],
        decision_checkpoints: [],
      },
    }),
    tools: [...lanes, named('list_deploys'), named('roll_back'), respond],
    intents: [
      {
        intent: 'incident.resolve',
        description: 'Find the cause of an incident and roll back the deployment',
        criteria: [{ id: 'back', statement: 'The previous release is running.', evidence: 'rollback' }],
      },
    ],
    boundary: 'incident_sre',
    budget: { sideEffectsMax: 1, lanesMax: 2 },
    settings: { roles: { sre: 'destructive' }, trustedInputs: { service: 'id' } },
  });
}

export const incident: StartRequest = {
  goal: 'Checkout has failed since 14:02: find the cause and fix it',
  inputs: { service: 'checkout' },
  identity: {
    actor: 'pager_duty',
    tenant_id: 'tenant_shop',
    roles: ['sre'],
    scopes: [
      'look_at_logs',
      'look_at_metrics',
      'ops.query_logs',
      'ops.read_metrics',
      'ops.list_deploys',
      'ops.roll_back',
      'respond',
    ],
    expires_at: 4_000_000_000_000,
  },
};
