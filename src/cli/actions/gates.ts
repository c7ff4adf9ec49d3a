import { resolve } from 'node:path';
import { type Ambit, type ApprovalPacket, Fault, type InboxItem, type JsonObject } from '../../index.ts';
import { asTyped } from '../as-typed.ts';
import { type Action, type Call, listOf, textOf, valuesOf } from '../command.ts';
import { neededDecider } from '../decider.ts';
import { exitOf } from '../exit-codes.ts';
import { jsonFile } from '../json-file.ts';
import { printed } from '../terminal/printed.ts';
import { table } from '../terminal/table.ts';
import { closedWords } from '../views/gate-standing.ts';
import { ago } from '../views/instants.ts';
import { type Origin, originCell, originLines } from '../views/origin-view.ts';
import { packetView } from '../views/packet-view.ts';
import { askAtGate, type Decision, handIn } from './decide-gate.ts';
import { follower } from './follow-run.ts';
import { findOpen, openGate, openGates, packetNamed } from './open-gate.ts';
import { listedOrigin, originOf } from './origin-of.ts';
import { showOutcome } from './show-outcome.ts';
import { type Opened, withRuntime, word } from './with-runtime.ts';

export const listGates: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal, flags } = call;
    const now = Date.now();
    const gates: (InboxItem & { readonly origin: Origin })[] = [];
    for (const item of await openGates(runtime, textOf(flags, 'tenant'))) {
      gates.push({ ...item, origin: await listedOrigin(runtime, item.gate.session_id) });
    }
    const rows = gates.map(({ gate, packet, origin }) => [
      gate.gate_id,
      terminal.paint('waits', gate.name),
      printed(String(packet['action'] ?? packet['kind'] ?? '')),
      gate.session_id,
      ago(gate.expires_at, now),
      ...originCell(origin, terminal.paint),
    ]);
    terminal.show(gates, () =>
      rows.length === 0
        ? 'No gate is open.'
        : table(['GATE', 'NAME', 'ACTION', 'SESSION', 'EXPIRES', 'ORIGIN'], rows, terminal.columns()),
    );
    return exitOf('done');
  });

export const showGate: Action = (call) =>
  withRuntime(call, async ({ runtime }) => {
    const { terminal } = call;
    const gateId = word(call, 'gate');
    const item = await findOpen(runtime, gateId);
    if (item === null) return await showClosed(call, runtime, gateId);
    const origin = await originOf(runtime, item.gate.session_id);
    terminal.show({ ...item, decided: null, origin }, () =>
      [...originLines(origin, terminal.paint), gateView(call, item)].join('\n'),
    );
    terminal.note((paint) => `${paint('quiet', 'next:')} ${asTyped(approval(item))}`);
    return exitOf('done');
  });

/** What it showed, and what became of it. */
async function showClosed({ terminal }: Call, runtime: Ambit, gateId: string): Promise<number> {
  const standing = await runtime.gate(gateId);
  const { packet_hash, session_id } = standing.gate;
  const [packet, origin] = [await runtime.packet(packet_hash), await originOf(runtime, session_id)];
  terminal.show({ ...standing, packet, origin }, () =>
    [
      ...originLines(origin, terminal.paint),
      packetView(packet, packet_hash, Date.now(), terminal.paint),
      `  ${terminal.paint('strong', `It ${closedWords(standing)}`)}`,
    ].join('\n'),
  );
  return exitOf('done');
}

/** What somebody types who has read the packet and agrees. */
function approval({ gate: { gate_id, packet_hash }, packet }: InboxItem): string {
  const { deciders }: Partial<ApprovalPacket> = packet as object;
  const [role] = deciders?.roles ?? [];
  const whose = role === undefined ? '--as <name>' : `--as <name> --role ${role}`;
  return `ambit gates approve ${gate_id} --packet ${packet_hash} --reason "…" ${whose}`;
}

function gateView({ terminal }: Call, { gate, packet, changed }: InboxItem): string {
  const news =
    changed === null
      ? 'Nothing of the kind was approved before: all of it is new.'
      : changed.length === 0
        ? 'The same was approved before.'
        : `New against what was last approved: ${changed.map(({ pointer }) => printed(pointer)).join(', ')}`;
  return `${packetView(packet, gate.packet_hash, Date.now(), terminal.paint)}\n  ${terminal.paint('quiet', news)}`;
}

export const approveGate: Action = (call) => withRuntime(call, (opened) => decide(call, opened, 'approve'));
export const rejectGate: Action = (call) => withRuntime(call, (opened) => decide(call, opened, 'reject'));
export const editGate: Action = (call) => withRuntime(call, (opened) => decide(call, opened, 'edit'));
export const askGate: Action = (call) => withRuntime(call, (opened) => decide(call, opened, 'request_info'));

async function decide(call: Call, { runtime, config }: Opened, decision: Decision): Promise<number> {
  const { terminal, flags } = call;
  const item = await openGate(runtime, word(call, 'gate'));
  const named = textOf(flags, 'packet');
  const reason = textOf(flags, 'reason');
  if (named === null && (decision === 'approve' || decision === 'reject') && terminal.interactive) {
    const follow = follower(runtime, item.gate.session_id, terminal);
    const outcome = await askAtGate({ runtime, config, terminal, flags, follow }, item);
    return outcome === null ? exitOf('waiting') : await showOutcome(terminal, runtime, outcome);
  }
  if (named === null) {
    const { gate_id, packet_hash } = item.gate;
    const message = `say which packet you have seen: read it with ambit gates show ${gate_id}, then add --packet ${packet_hash}`;
    throw new Fault('input_invalid', asTyped(message));
  }
  if (reason === null) throw new Fault('input_invalid', 'say why, for the record: --reason "…"');
  const asks = textOf(flags, 'of');
  const outcome = await handIn(runtime, item.gate.gate_id, neededDecider(flags, config), {
    decision,
    packetHash: packetNamed(item.gate, named),
    reason,
    ...(decision === 'edit' ? { parameters: editedParameters(call, item) } : {}),
    ...(asks === null ? {} : { asks }),
  });
  return await showOutcome(terminal, runtime, outcome);
}

/** The arguments that were shown, with those that the person changes put in their place. */
function editedParameters({ flags }: Call, { packet }: InboxItem): JsonObject {
  const file = textOf(flags, 'parametersFile');
  if (file !== null) return jsonFile(resolve(file), '--parameters-file');
  const changes = valuesOf(flags, 'set');
  if (Object.keys(changes).length === 0) throw new Fault('input_invalid', 'say what to change: --set name=value');
  return { ...(packet['parameters'] as JsonObject), ...changes };
}

export const answerGate: Action = (call) =>
  withRuntime(call, async ({ runtime, config }) => {
    const { terminal, flags } = call;
    const item = await openGate(runtime, word(call, 'gate'));
    const packetHash = packetNamed(item.gate, textOf(flags, 'packet') ?? item.gate.packet_hash);
    const text = textOf(flags, 'text');
    const evidence = listOf(flags, 'evidence');
    const gate_id = item.gate.gate_id;
    const credential = neededDecider(flags, config).info({ gate_id, packet_hash: packetHash, text, evidence });
    const said = { ...(text === null ? {} : { text }), ...(evidence.length === 0 ? {} : { evidence }) };
    return await showOutcome(
      terminal,
      runtime,
      await runtime.provideInfo(gate_id, { packetHash, credential, ...said }),
    );
  });
