/** A server of Web requests over real HTTP, and the chat of `useChat` without React. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  type DynamicToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai';

export type Handler = (request: Request) => Promise<Response>;

/** Serves a handler of Web requests on a port of this machine. `sent` receives each chunk. */
export async function serveHandler(
  handler: Handler,
  sent: string[] = [],
): Promise<{ readonly url: string; close(): Promise<void> }> {
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
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
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

/** The chat that `useChat` wraps, without React. */
export class HeadlessChat extends AbstractChat<ChatMessage> {
  constructor(init: ChatInit<ChatMessage>) {
    super({ ...init, state: new PlainState() });
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

/** The chat of `useChat`: the same transport, stream processing and approval logic. */
export class PlainChat extends HeadlessChat {
  constructor(
    url: string,
    person: string,
    id = 'chat_1',
    options: Partial<ConstructorParameters<typeof DefaultChatTransport<ChatMessage>>[0]> = {},
  ) {
    super({
      id,
      transport: new DefaultChatTransport({ api: url, headers: { authorization: person }, ...options }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }
}
