/** A chat server over real HTTP, and chat clients of the AI SDK as `useChat` has them. */
import { onTestFinished } from 'vitest';
import { ambit } from '../../src/compose.ts';
import type { Ambit, Composer, Planner } from '../../src/index.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import { frameEvents } from '../../src/model/events/frame-events.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Plan } from '../../src/model/plan/plan.ts';
import type { BoundTool } from '../../src/ports/bound-tool.ts';
import { templatePlanner } from '../../src/roles/template-planner.ts';
import { agentFor, planOf, toolSpec } from '../runs/rig.ts';
import { chatHandler, type Person } from './chat-handler.ts';
import { type Handler, serveHandler } from './plain-chat.ts';

export { PlainChat } from './plain-chat.ts';

export const ACCOUNT = { customer_id: 'cus_1', plan: 'Pro', renews_on: '2026-06-03' };
export const INVOICE = { number: 'INV-7', total_cents: 4990, currency: 'EUR', paid_on: '2026-05-03' };

/** The people by their token: Ada asks, Ben and Cleo decide, Fred may not decide, Eve belongs to another shop. */
const PEOPLE: Readonly<Record<string, Person>> = {
  ada: { name: 'ada', tenant: 'shop', roles: ['worker'] },
  ben: { name: 'ben', tenant: 'shop', roles: ['finance'] },
  cleo: { name: 'cleo', tenant: 'shop', roles: ['finance'] },
  fred: { name: 'fred', tenant: 'shop', roles: [] },
  eve: { name: 'eve', tenant: 'rival', roles: ['finance'] },
};

export interface Dispatch {
  readonly tool: string;
  readonly args: JsonObject;
}

export interface ChatServer {
  readonly url: string;
  readonly runtime: Ambit;
  readonly dispatches: readonly Dispatch[];
  /** Every chunk that the server has sent, as parsed from the wire. */
  readonly sent: readonly string[];
  events(runId: string): Promise<readonly RunEvent[]>;
}

export interface ShopOptions {
  readonly composer?: Composer;
  readonly quorum?: number;
  readonly gates?: readonly string[];
  readonly planner?: Planner;
}

export const shopPlan = (gates: readonly string[]): Plan =>
  planOf([
    { id: 'a', tool: 'account', params: { customer_id: 'cus_1' } },
    { id: 'b', tool: 'invoice', params: { amount: 4990 }, depends_on: ['a'], requires: gates },
  ]);

const GATED = { approval_mode: 'destructive', side_effect: true } as const;

/** An agent that looks an account up and then pays an invoice, which finance must approve. Without gates it only reads. */
export function openShop({ composer, quorum = 1, gates = ['GATE_FINANCE'], planner }: ShopOptions = {}): {
  readonly runtime: Ambit;
  readonly dispatches: Dispatch[];
} {
  const dispatches: Dispatch[] = [];
  const bound = (name: string, result: JsonObject, changes: Parameters<typeof toolSpec>[1]): BoundTool => ({
    spec: toolSpec(name, { trusted: true, ...changes }),
    execute: (args) => {
      dispatches.push({ tool: name, args });
      return result;
    },
  });
  const runtime = ambit({
    agent: agentFor(['account', 'invoice']),
    tools: [
      bound('account', ACCOUNT, {}),
      bound('invoice', INVOICE, { ...(gates.length === 0 ? {} : GATED), gates, produces: ['done'] }),
    ],
    planner: planner ?? templatePlanner({ work: shopPlan(gates) }),
    world: {
      ...(composer === undefined ? {} : { composer }),
      policy: { gates: Object.fromEntries(gates.map((gate) => [gate, { roles: ['finance'], quorum }])) },
    },
  });
  onTestFinished(() => runtime.close());
  return { runtime, dispatches };
}

export interface ChatOptions extends ShopOptions {
  readonly approvals?: 'none' | 'shown';
}

export const signedIn = async (request: Request): Promise<Person | null> =>
  PEOPLE[request.headers.get('authorization') ?? ''] ?? null;

/** Serves a handler of Web requests on a port of this machine, until the test ends. */
export async function serve(handler: Handler, sent: string[] = []): Promise<string> {
  const { url, close } = await serveHandler(handler, sent);
  onTestFinished(close);
  return url;
}

export async function openChatServer({ approvals = 'shown', ...options }: ChatOptions = {}): Promise<ChatServer> {
  const { runtime, dispatches } = openShop(options);
  const sent: string[] = [];
  const url = await serve(chatHandler(runtime, signedIn, approvals), sent);
  return {
    url,
    runtime,
    dispatches,
    sent,
    events: async (runId) => (await runtime.records.frames(runId)).flatMap(frameEvents),
  };
}
