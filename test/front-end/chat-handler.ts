import {
  type ClaimedApproval,
  readApprovals,
  readCursor,
  readMessage,
  toUIMessageStreamResponse,
} from '../../src/adapters/ai-sdk/index.ts';
import { type Ambit, Fault, type RunOutcome } from '../../src/index.ts';

/** The person of a request, as your own session, cookie or token proves it. */
export interface Person {
  readonly name: string;
  readonly tenant: string;
  readonly roles: readonly string[];
}

/** Answers `POST /api/chat` and `GET /api/chat/<chat>/stream`. */
export function chatHandler(runtime: Ambit, signedIn: (request: Request) => Promise<Person | null>) {
  const runs = new Map<string, string>(); // the run of each chat: keep it in your database

  async function decide(runId: string, claims: readonly ClaimedApproval[], person: Person): Promise<RunOutcome> {
    const { approve, reject } = runtime.gates;
    // The message says which button was clicked. The credential says who clicked it.
    const credential = { kind: 'local_operator', name: person.name, roles: person.roles } as const;
    for (const { gateId, packetHash, approved, reason } of claims) {
      const { gate } = await runtime.gates.get(gateId);
      if (gate.session_id !== runId) throw new Fault('permission_denied', 'this chat has no such gate');
      await (approved ? approve : reject)(gateId, { packetHash, credential, reason });
    }
    return await runtime.sessions.get(runId);
  }

  async function answer(request: Request, person: Person): Promise<Response> {
    if (request.method === 'GET') {
      const chatId = new URL(request.url).pathname.split('/').at(-2);
      const runId = runs.get(`${person.tenant}/${chatId}`);
      if (runId === undefined) return new Response(null, { status: 204 });
      const after = request.headers.get('last-event-id') ?? undefined;
      return toUIMessageStreamResponse(await runtime.sessions.follow(runId), { after });
    }
    const { id, messages } = (await request.json()) as { readonly id: unknown; readonly messages: unknown };
    const chat = `${person.tenant}/${String(id)}`;
    const runId = runs.get(chat);
    const claims = readApprovals(messages);
    if (claims.length > 0 && runId !== undefined) {
      const run = await runtime.sessions.follow(runId, { until: () => decide(runId, claims, person) });
      return toUIMessageStreamResponse(run, { after: readCursor(messages) });
    }
    const run = runtime.start({ message: readMessage(messages), user: person });
    runs.set(chat, run.id);
    return toUIMessageStreamResponse(run);
  }

  return async (request: Request): Promise<Response> => {
    const person = await signedIn(request);
    if (person === null) return new Response('Please sign in.', { status: 401 });
    try {
      return await answer(request, person);
    } catch (error) {
      if (!Fault.is(error)) throw error;
      return new Response(error.message, { status: 400 });
    }
  };
}
