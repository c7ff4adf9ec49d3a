import { type Ambit, type AmbitConfig, Fault, type InboxItem, type JsonObject, type RunOutcome } from '../../index.ts';
import type { Flags } from '../command.ts';
import { textOf } from '../command.ts';
import { byName, type Decider, deciderOf } from '../decider.ts';
import { askChoice, askText } from '../terminal/ask.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { originLines } from '../views/origin-view.ts';
import { packetView } from '../views/packet-view.ts';
import { originOf } from './origin-of.ts';

export type Decision = 'approve' | 'reject' | 'edit' | 'request_info';

/** A person's word on one gate. */
export interface Word {
  readonly decision: Decision;
  readonly packetHash: string;
  readonly reason: string;
  readonly parameters?: JsonObject;
  readonly asks?: string;
}

/** Hands it in, with what shows whose word it is. */
export async function handIn(runtime: Ambit, gateId: string, decider: Decider, word: Word): Promise<RunOutcome> {
  const { decision, packetHash, reason, parameters, asks } = word;
  const inquiry = asks === undefined ? {} : { asks };
  const credential = decider.gate({
    gate_id: gateId,
    packet_hash: packetHash,
    decision,
    reason,
    parameters: parameters ?? null,
    ...inquiry,
  });
  const answer = { packetHash, credential, reason };
  switch (decision) {
    case 'approve':
      return await runtime.approve(gateId, answer);
    case 'reject':
      return await runtime.reject(gateId, answer);
    case 'edit':
      return await runtime.edit(gateId, { ...answer, parameters: parameters ?? {} });
    case 'request_info':
      return await runtime.requestInfo(gateId, { ...answer, ...inquiry });
  }
}

export interface Asked {
  readonly runtime: Ambit;
  readonly config: AmbitConfig;
  readonly terminal: Terminal;
  readonly flags: Flags;
  /** Lets the person see the run go on. */
  readonly follow: (work: Promise<RunOutcome>) => Promise<RunOutcome>;
}

/** Shows a gate to the person at the terminal and takes their word. Null if they leave it for later. */
export async function askAtGate(
  { runtime, config, terminal, flags, follow }: Asked,
  item: InboxItem,
): Promise<RunOutcome | null> {
  const { gate_id, session_id, packet_hash: packetHash } = item.gate;
  const origin = await originOf(runtime, session_id);
  terminal.note((paint) => ['', ...originLines(origin, paint)].join('\n'));
  terminal.note((paint) => `${packetView(item.packet, packetHash, Date.now(), paint)}\n`);
  const decision = await askChoice<Decision | 'later'>('Your decision about exactly this packet?', [
    // Whoever presses enter without having read decides nothing.
    { value: 'later', label: 'Later', hint: 'the run waits' },
    { value: 'request_info', label: 'Ask first', hint: 'leaves the gate open' },
    { value: 'reject', label: 'Reject', hint: 'ends the run' },
    { value: 'approve', label: 'Approve', hint: 'this call, once' },
  ]);
  if (decision === null || decision === 'later') return null;
  const decider = deciderOf(flags, config) ?? (await whoIsThere(rolesOf(item.packet)));
  if (decider === null) return null;
  const reason =
    textOf(flags, 'reason') ?? (await askText(decision === 'request_info' ? 'What do you want to know?' : 'Why?'));
  if (reason === null) return null;
  try {
    return await follow(handIn(runtime, gate_id, decider, { decision, packetHash, reason }));
  } catch (error) {
    if (!Fault.is(error)) throw error;
    // Refused is not decided: the person reads why, and the gate is still there.
    terminal.note((paint) => `${paint('bad', error.code)} ${error.message}`);
    return null;
  }
}

/** Asked at a terminal, where whoever runs the process is believed; where keys are enrolled it takes one of those. */
async function whoIsThere(roles: readonly string[]): Promise<Decider | null> {
  const name = await askText('Who decides? (your name, as it will be on record)');
  if (name === null || roles.length === 0) return name === null ? null : byName(name, []);
  const role = await askText('With which role? (it will be on record)', roles[0]);
  return role === null ? null : byName(name, [role]);
}

/** The roles that a gate asks for, as its packet says; none where anybody may decide. */
function rolesOf(packet: JsonObject): readonly string[] {
  const { deciders } = packet as { readonly deciders?: { readonly roles?: readonly string[] } };
  return deciders?.roles ?? [];
}
