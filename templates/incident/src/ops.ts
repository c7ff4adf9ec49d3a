import { tool } from 'ambit';
import { z } from 'zod';

const service = z.object({ service: z.string() });

/** The operations tools of a demo in memory. Replace the code with calls of your own systems. */
let running = 'rel_482';

export const queryLogs = tool({
  name: 'logs.query',
  description: 'The errors of a service in the last hour',
  approvalMode: 'read_only',
  inputSchema: service,
  outputSchema: z.object({ service: z.string(), errors: z.int(), first_error_at: z.string() }),
  execute: ({ service: name }) => ({ service: name, errors: 1204, first_error_at: '14:02' }),
  effects: { produces: ['logs'] },
  risk: { trusted: true },
  rules: { action: 'query_logs' },
});

export const readMetrics = tool({
  name: 'metrics.read',
  description: 'The error rate of a service',
  approvalMode: 'read_only',
  inputSchema: service,
  outputSchema: z.object({ service: z.string(), error_rate: z.number() }),
  execute: ({ service: name }) => ({ service: name, error_rate: 0.37 }),
  effects: { produces: ['metrics'] },
  risk: { trusted: true },
  rules: { action: 'inspect_metrics' },
});

export const listDeploys = tool({
  name: 'deploys.list',
  description: 'The running release of a service, and the one before',
  approvalMode: 'read_only',
  inputSchema: service,
  outputSchema: z.object({ service: z.string(), current: z.string(), previous: z.string() }),
  execute: ({ service: name }) => ({ service: name, current: running, previous: 'rel_481' }),
  effects: { produces: ['deploys'] },
  risk: { trusted: true },
  rules: { action: 'compare_deploys' },
});

export const rollBack = tool({
  name: 'deploys.roll_back',
  description: 'Roll a service back to another release',
  approvalMode: 'destructive',
  inputSchema: z.object({ service: z.string(), to: z.string() }),
  outputSchema: z.object({ service: z.string(), release: z.string(), status: z.string() }),
  execute: ({ service: name, to }) => {
    running = to;
    return { service: name, release: running, status: 'rolled back' };
  },
  effects: { produces: ['rollback'], idempotency: 'natural' },
  risk: {
    gates: ['GATE_ONCALL'],
    trusted: true,
    blastRadius: 'One service, for all its users.',
    rollback: 'Deploy the newer release again.',
  },
  rules: { action: 'production_rollback' },
});
