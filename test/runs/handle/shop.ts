/** An agent of a small shop on a SQLite store, with a tool that answers when the test lets it. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  type Agent,
  type Ambit,
  type AmbitOptions,
  agent,
  ambit,
  type StartRequest,
  templatePlanner,
  tool,
} from '../../../src/index.ts';

type Store = NonNullable<AmbitOptions['store']>;

/** A call of the tool that waits. */
export interface WaitingCall {
  readonly signal: AbortSignal;
  answer(): void;
}

export interface Shop {
  readonly runtime: Ambit;
  /** The number of calls of the tool. */
  calls(): number;
  /** Resolves with the next call that waits for its answer. */
  nextCall(): Promise<WaitingCall>;
  /** Opens another runtime on the same store, as another process would. */
  reopen(): Shop;
}

export const USER = { name: 'ada', tenant: 'shop' } as const;

export const ASK: StartRequest = {
  message: 'What does order ord_881 cost?',
  user: USER,
  inputs: { order_id: 'ord_881' },
};

const storeFile = (): Store => `sqlite:${join(mkdtempSync(join(tmpdir(), 'ambit-handle-')), 'shop.db')}`;

export function openShop(store: Store = storeFile(), others: readonly Agent[] = []): Shop {
  let calls = 0;
  let called = Promise.withResolvers<WaitingCall>();
  const lookUp = tool({
    name: 'orders.lookup',
    description: 'Look an order up',
    approvalMode: 'read_only',
    inputSchema: z.object({ order_id: z.string() }),
    outputSchema: z.object({ order_id: z.string(), total_cents: z.int() }),
    execute: async ({ order_id }, { signal }) => {
      calls += 1;
      const answered = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => answered.resolve(), { once: true });
      called.resolve({ signal, answer: answered.resolve });
      await answered.promise;
      return { order_id, total_cents: 4200 };
    },
    effects: { produces: ['order'] },
    risk: { trusted: true },
    rules: { action: 'summarize_account' },
  });
  const support = agent({
    name: 'support',
    planner: templatePlanner({
      'order.status': {
        plan_id: 'plan_status',
        intent: 'order.status',
        steps: [
          { id: 'look', tool: 'orders.lookup', params: { order_id: { $slot: 'order_id' } }, context_key: 'order' },
        ],
        decision_checkpoints: [],
      },
    }),
    tools: [lookUp],
    intents: [
      {
        intent: 'order.status',
        description: 'Say what an order costs',
        criteria: [{ id: 'known', statement: 'The order is known.', evidence: 'order' }],
      },
    ],
    boundary: 'customer_support',
    budget: { profile: 'research', toolCallsMax: 5 },
  });
  const runtime =
    others.length === 0 ? ambit({ agent: support, store }) : ambit({ agents: [support, ...others], store });
  return {
    runtime,
    calls: () => calls,
    nextCall: async () => {
      const call = await called.promise;
      called = Promise.withResolvers<WaitingCall>();
      return call;
    },
    reopen: () => openShop(store, others),
  };
}

export async function collect<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}
