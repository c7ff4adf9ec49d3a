import { type Agent, agent, type BoundTool, type LaneTool, lane, templatePlanner } from 'ambit';
import { z } from 'zod';
import { queryLogs, readMetrics } from './ops.ts';

/** A worker with one tool that reads, and the plan that you wrote for it. It cannot roll back. */
const worker = (name: string, tool: BoundTool): Agent =>
  agent({
    name,
    planner: templatePlanner({
      [name]: {
        plan_id: `plan_${name}`,
        intent: name,
        steps: [{ id: 'look', tool: tool.spec.name, params: { service: { $slot: 'service' } } }],
        decision_checkpoints: [],
      },
    }),
    tools: [tool],
    intents: [
      {
        intent: name,
        description: tool.spec.description,
        risk: 'low',
        criteria: tool.spec.produces.map((evidence) => ({
          id: evidence,
          statement: `${evidence} are known.`,
          evidence,
        })),
      },
    ],
    boundary: 'incident_sre',
    // A small part of the budget of the lead.
    budget: { profile: 'incident_sre', stepsMax: 3, toolCallsMax: 3, inputTokensMax: 1_000, outputTokensMax: 1_000 },
  });

export const logAnalyst: Agent = worker('log_analyst', queryLogs);
export const metricsAnalyst: Agent = worker('metrics_analyst', readMetrics);

/** A lane: a tool, to the lead, in which a worker has a run of its own. */
const looking = (name: string, below: Agent, evidence: string): LaneTool =>
  lane({
    name,
    description: `Delegates the ${evidence} of a service to a worker`,
    agent: below,
    approvalMode: 'read_only',
    task: {
      inputSchema: z.object({ service: z.string() }),
      outputSchema: z.object({ [evidence]: z.looseObject({ service: z.string() }) }),
      goal: ({ service }) => `Look at the ${evidence} of ${service}`,
      returns: [evidence],
    },
  });

export const lanes: readonly LaneTool[] = [
  looking('look_at_logs', logAnalyst, 'logs'),
  looking('look_at_metrics', metricsAnalyst, 'metrics'),
];
