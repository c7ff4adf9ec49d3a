/** Agents of the public API whose tools fail in a chosen way, and their recorded events. */
import { z } from 'zod';
import { type Ambit, agent, ambit, type RunOutcome, reactive, templatePlanner, tool } from '../../../src/index.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import type { AcceptanceCriterion } from '../../../src/model/plan/goal.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import type { BoundTool } from '../../../src/ports/bound-tool.ts';
import { type ModelTurn, scriptedModel } from '../../../src/testing/scripted-model.ts';

export const DONE: AcceptanceCriterion = { id: 'done', statement: 'It is done.', rank: 'primary', evidence: 'done' };
export const TOLD: AcceptanceCriterion = {
  id: 'told',
  statement: 'The customer is told.',
  rank: 'secondary',
  evidence: 'told',
};

/** A read-only tool that produces this evidence and is not retried. */
export const reads = (name: string, produces: string, execute: () => Json | Promise<Json>): BoundTool =>
  tool({
    name,
    description: `Does the work of ${name}`,
    approvalMode: 'read_only',
    inputSchema: z.object({ n: z.int().optional() }),
    outputSchema: z.object({ ok: z.boolean() }),
    execute: execute as () => { readonly ok: boolean },
    effects: { produces: [produces] },
    limits: { retries: 0 },
  });

/** A tool that states the total of an account. */
export const source = (name: string, total: () => number, trusted: boolean = false): BoundTool =>
  tool({
    name,
    description: `Looks the total up at ${name}`,
    approvalMode: 'read_only',
    inputSchema: z.object({ account: z.string() }),
    outputSchema: z.object({ total: z.number() }),
    execute: () => ({ total: total() }),
    effects: { produces: ['balance'] },
    limits: { retries: 0 },
    risk: { trusted },
    rules: { asserts: [{ type: 'balance', subject: '/account', values: { total: '/total' } }] },
  });

interface Worker {
  readonly tools: readonly BoundTool[];
  readonly criteria?: readonly AcceptanceCriterion[];
  /** The plan of a plan-first run, which is proposed each time. */
  readonly steps?: readonly PlanStep[];
  /** The turns of the model of a reactive run. */
  readonly turns?: readonly ModelTurn[];
  readonly budget?: JsonObject;
}

/** The runtime of an agent with one intent. */
export function worker({ tools, criteria = [], steps = [], turns, budget = {} }: Worker): Ambit {
  const plan = { plan_id: 'p1', intent: 'work', steps, decision_checkpoints: [] };
  const declared = {
    name: 'worker',
    planner: turns === undefined ? templatePlanner({ work: plan }) : reactive({ model: scriptedModel(turns) }),
    tools,
    intents: [{ intent: 'work', description: 'Does the work', risk: 'low', criteria }],
    boundary: 'research',
    budget: { profile: 'standard', ...budget },
    settings: { roles: { clerk: 'destructive' } },
  } as const;
  return ambit({ agent: agent(declared), store: 'memory' });
}

export const work = (runtime: Ambit): Promise<RunOutcome> =>
  runtime.start({ message: 'Do the work of today', user: { name: 'ada', tenant: 'shop', roles: ['clerk'] } }).settled;

/** The events of a run, which is replayed first. */
export async function eventsIn({ records }: Ambit, runId: string): Promise<readonly RunEvent[]> {
  await records.replay(runId);
  const frames = await records.frames(runId);
  return frames.flatMap((frame) => JSON.parse(frame.events) as RunEvent[]);
}
