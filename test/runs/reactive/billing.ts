/** A billing agent without declared criteria, decided step by step by a scripted model. */
import { z } from 'zod';
import { type AgentOptions, type Ambit, agent, ambit, reactive, type StartRequest, tool } from '../../../src/index.ts';
import type { RunEvent } from '../../../src/model/events/event.ts';
import { type ModelTurn, type ScriptedModel, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { decide } from './bench.ts';

type Planner = NonNullable<AgentOptions['planner']>;

const TWO_PARTS = 'Which plan am I on, and what did I pay last month?';

export const account: object = decide('billing.account', { customer_id: 'cus_1' }, { context_key: 'account' });
export const invoice: object = decide('billing.invoice', { customer_id: 'cus_1' }, { context_key: 'invoice' });
export const end: object = decide('respond', { objective: 'answer both parts' }, { inputs: ['account', 'invoice'] });

export interface Billing {
  readonly runtime: Ambit;
  readonly calls: readonly string[];
  events(runId: string): Promise<readonly RunEvent[]>;
}

interface BillingChanges {
  readonly failing?: string;
  readonly criteria?: readonly [];
}

/** The agent with a planner; `failing` names a tool that always fails. */
export function billing(planner: Planner, { failing, criteria }: BillingChanges = {}): Billing {
  const calls: string[] = [];
  const lookUp = (name: string, description: string, value: Readonly<Record<string, string | number>>) =>
    tool({
      name,
      description,
      approvalMode: 'read_only',
      inputSchema: z.object({ customer_id: z.string() }),
      outputSchema: z.record(z.string(), z.union([z.string(), z.number()])),
      execute: () => {
        calls.push(name);
        if (name === failing) throw new Error('the service is closed');
        return value;
      },
      risk: { trusted: true },
      rules: { action: 'summarize_account' },
      limits: { retries: 0 },
    });
  const support = agent({
    name: 'billing',
    planner,
    tools: [
      lookUp('billing.account', 'Look an account up', { plan: 'Pro' }),
      lookUp('billing.invoice', 'Look the last invoice up', { number: 'INV-7', total_cents: 4990, currency: 'EUR' }),
    ],
    intents: [
      {
        intent: 'billing.question',
        description: 'Answer questions about plans and invoices',
        risk: 'low',
        ...(criteria === undefined ? {} : { criteria }),
      },
    ],
    boundary: 'customer_support',
    budget: {
      profile: 'research',
      toolCallsMax: 30,
      stepsMax: 30,
      inputTokensMax: 2_000_000,
      outputTokensMax: 400_000,
    },
  });
  const runtime = ambit({ agent: support });
  return {
    runtime,
    calls,
    events: async (runId) =>
      (await runtime.records.frames(runId)).flatMap((frame) => JSON.parse(frame.events) as RunEvent[]),
  };
}

export const scripted = (
  turns: readonly ModelTurn[],
  changes: BillingChanges = {},
): Billing & { model: ScriptedModel } => {
  const model = scriptedModel(turns);
  return { ...billing(reactive({ model, maxSteps: 5 }), changes), model };
};

export const ASK: StartRequest = { message: TWO_PARTS, user: { name: 'ada', tenant: 'shop' } };
