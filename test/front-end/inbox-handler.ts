import { type Ambit, Fault } from '../../src/index.ts';

/** The person who decides, as your own session, cookie or token proves it. */
export interface Decider {
  readonly name: string;
  readonly tenant: string;
  readonly roles: readonly string[];
}

interface Decision {
  readonly gateId: string;
  readonly packetHash: string;
  readonly approved: unknown;
  readonly reason: string;
}

/** Lists the open gates with `GET /api/inbox`, and decides one of them with `POST /api/inbox`. */
export function inboxHandler(runtime: Ambit, signedIn: (request: Request) => Promise<Decider | null>) {
  return async (request: Request): Promise<Response> => {
    const person = await signedIn(request);
    if (person === null) return new Response('Please sign in.', { status: 401 });
    const { groups, deferred } = await runtime.gates.list({ tenant: person.tenant });
    const open = [...groups.flatMap(({ items }) => items), ...deferred];
    if (request.method === 'GET') {
      return Response.json(
        open.map(({ gate, packet }) => ({ gateId: gate.gate_id, packetHash: gate.packet_hash, packet })),
      );
    }
    const { gateId, packetHash, approved, reason } = (await request.json()) as Decision;
    const isOpen = open.some(({ gate }) => gate.gate_id === gateId);
    if (!isOpen || typeof approved !== 'boolean') return new Response('There is no such gate.', { status: 404 });
    const decide = approved ? runtime.gates.approve : runtime.gates.reject;
    const credential = { kind: 'local_operator', name: person.name, roles: person.roles } as const;
    try {
      const { status } = await decide(gateId, { packetHash, credential, reason });
      return Response.json({ status });
    } catch (error) {
      if (!Fault.is(error)) throw error;
      return new Response(error.message, { status: 400 });
    }
  };
}
