/** A chat server over real HTTP, and chat clients of the AI SDK as `useChat` has them. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import {
  AbstractChat,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  type DynamicToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai';
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

type Handler = (request: Request) => Promise<Response>;

/** Serves a handler of Web requests on a port of this machine. */
export async function serve(handler: Handler, sent: string[] = []): Promise<string> {
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = incoming;
    const body = method === 'GET' ? null : await text(incoming);
    const request = new Request(`http://localhost${url}`, { method, headers: headers as Record<string, string>, body });
    const response = await handler(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) return void outgoing.end();
    const stream = Readable.fromWeb(response.body as NodeReadableStream);
    stream.on('data', (bytes: Uint8Array) => sent.push(Buffer.from(bytes).toString()));
    outgoing.on('close', () => stream.destroy());
    stream.on('error', () => outgoing.destroy());
    stream.pipe(outgoing);
  };
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`;
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

/** The metadata of a message, as the stream sends it. */
export interface Metadata {
  readonly runId?: string;
  readonly status?: string;
  readonly terminalCode?: string | null;
  readonly cursor?: string;
}

export type ChatMessage = UIMessage<Metadata>;

class PlainState implements ChatState<ChatMessage> {
  status: ChatStatus = 'ready';
  error: Error | undefined = undefined;
  messages: ChatMessage[] = [];
  pushMessage = (message: ChatMessage): void => {
    this.messages = [...this.messages, message];
  };
  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: ChatMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message));
  };
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

/** The chat of `useChat`, without React: the same transport, stream processing and approval logic. */
export class PlainChat extends AbstractChat<ChatMessage> {
  constructor(
    url: string,
    person: string,
    id = 'chat_1',
    options: Partial<ConstructorParameters<typeof DefaultChatTransport<ChatMessage>>[0]> = {},
  ) {
    super({
      id,
      state: new PlainState(),
      transport: new DefaultChatTransport({ api: url, headers: { authorization: person }, ...options }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }

  /** The text of the last message. */
  get text(): string {
    return (this.lastMessage?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
  }

  /** The tool parts of the last message, by tool. */
  tool(name: string): DynamicToolUIPart | undefined {
    return (this.lastMessage?.parts ?? [])
      .filter((part) => part.type === 'dynamic-tool')
      .find((part) => part.toolName === name);
  }

  /** The id of the approval that the last message asks for. */
  get approvalId(): string {
    return this.tool('invoice')?.approval?.id ?? '';
  }
}
