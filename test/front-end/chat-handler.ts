import {
  type ClaimedApproval,
  readAnswers,
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

/** The run of a chat, and its newest message. A question ends a message, and the answer begins the next one. */
interface Shown {
  readonly runId: string;
  readonly messageId?: string;
  readonly after?: string | undefined;
}

/** Answers `POST /api/chat` and `GET /api/chat/<chat>/stream`. */
export function chatHandler(
  runtime: Ambit,
  signedIn: (request: Request) => Promise<Person | null>,
  approvals: 'none' | 'shown' = 'none',
) {
  const chats = new Map<string, Shown>(); // keep it in your database

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

  /** Streams the newest message of a run. `until` moves the run on. */
  async function show({ runId, ...options }: Shown, until?: () => Promise<RunOutcome>): Promise<Response> {
    const run = await runtime.sessions.follow(runId, until === undefined ? {} : { until });
    return toUIMessageStreamResponse(run, { approvals, ...options });
  }

  async function answer(request: Request, person: Person): Promise<Response> {
    const { sessions } = runtime;
    if (request.method === 'GET') {
      const shown = chats.get(`${person.tenant}/${new URL(request.url).pathname.split('/').at(-2)}`);
      if (shown === undefined) return new Response(null, { status: 204 });
      return await show({ ...shown, after: request.headers.get('last-event-id') ?? shown.after });
    }
    const { id, messages } = (await request.json()) as { readonly id: unknown; readonly messages: unknown };
    const chat = `${person.tenant}/${String(id)}`;
    const shown = chats.get(chat);
    const claims = readApprovals(messages);
    if (claims.length > 0 && shown !== undefined) {
      return await show({ ...shown, after: readCursor(messages) }, () => decide(shown.runId, claims, person));
    }
    const message = readMessage(messages);
    const { question = null } = shown === undefined ? {} : await sessions.get(shown.runId);
    if (shown !== undefined && question !== null) {
      const { runId } = shown;
      const answers = readAnswers(message, question);
      const next = { runId, messageId: `${runId}:${question.questionId}`, after: readCursor(messages) };
      chats.set(chat, next);
      return await show(next, () => sessions.answer(runId, question, answers, person.name));
    }
    const run = runtime.start({ message, user: person, thread: String(id) });
    chats.set(chat, { runId: await run.runId }); // throws if the chat has an open run
    return toUIMessageStreamResponse(run, { approvals });
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
