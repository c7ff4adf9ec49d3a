import { resolve } from 'node:path';
import type { ApprovalPacket, InboxItem } from '../../approvals.ts';
import { type Ambit, Fault, type JsonObject } from '../../index.ts';
import { formatHint } from '../cli-fault.ts';
import {
  type Action,
  argument,
  type Call,
  getExitCode,
  readAssignmentFlags,
  readListFlag,
  readTextFlag,
} from '../command.ts';
import { requireDecider, requireReason } from '../decider.ts';
import { readJsonFile } from '../files.ts';
import { chooseGates, type GateAction, promptGateDecision, submitDecision } from '../shared/decide-gate.ts';
import {
  describeClosedGate,
  findOpenGate,
  listOpenGates,
  matchPacketHash,
  requireOpenGate,
} from '../shared/find-gate.ts';
import { createFollower } from '../shared/follow-run.ts';
import { readListedOrigin, readOrigin } from '../shared/read-run.ts';
import { noteNextCommands, showOutcome } from '../shared/show-outcome.ts';
import { type OpenedConfig, withRuntime } from '../shared/with-runtime.ts';
import { escapeText } from '../terminal/escape.ts';
import { showTable } from '../terminal/render-table.ts';
import { describeProgress } from '../views/describe-progress.ts';
import { formatRelative } from '../views/format.ts';
import { renderPacket } from '../views/render-packet.ts';
import { type RunOrigin, renderOriginCell, renderOriginLines } from '../views/run-details.ts';

export const listGatesAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal, flags }) => {
    const now = Date.now();
    const gates: (InboxItem & { readonly origin: RunOrigin })[] = [];
    for (const item of await listOpenGates(runtime, readTextFlag(flags, 'tenant'))) {
      gates.push({ ...item, origin: await readListedOrigin(runtime, item.gate.session_id) });
    }
    const rows = gates.map(({ gate, gates: all, packet, origin }) => [
      gate.gate_id,
      terminal.paint('warning', all.length > 1 ? describeProgress(all) : gate.name),
      escapeText(String(packet['action'] ?? packet['kind'] ?? '')),
      gate.session_id,
      formatRelative(gate.expires_at, now),
      ...renderOriginCell(origin, terminal.paint),
    ]);
    for (const { gate, message } of (await runtime.gates.list()).damaged)
      terminal.note((paint) => `${paint('bad', '✗')} ${gate.gate_id} cannot be read: ${escapeText(message)}`);
    showTable(terminal, gates, {
      headings: ['GATE', 'NAME', 'ACTION', 'SESSION', 'EXPIRES', 'ORIGIN'],
      rows,
      empty: 'No open gates.',
    });
  });

export const showGateAction: Action = (call) =>
  withRuntime(call, async ({ runtime, terminal }) => {
    const gateId = argument(call, 'gate');
    const item = await findOpenGate(runtime, gateId);
    if (item === null) return await showClosedGate(call, runtime, gateId);
    const origin = await readOrigin(runtime, item.gate.session_id);
    terminal.show({ ...item, decided: null, origin }, () =>
      [...renderOriginLines(origin, terminal.paint), renderGate(call, item)].join('\n'),
    );
    noteNextCommands(terminal, [formatHint(formatApproveCommand(item))]);
    return getExitCode('done');
  });

async function showClosedGate({ terminal }: Call, runtime: Ambit, gateId: string): Promise<number> {
  const standing = await runtime.gates.get(gateId);
  const { packet_hash, session_id } = standing.gate;
  const [packet, origin] = [await runtime.gates.packet(packet_hash), await readOrigin(runtime, session_id)];
  terminal.show({ ...standing, packet, origin }, () =>
    [
      ...renderOriginLines(origin, terminal.paint),
      renderPacket(packet, packet_hash, Date.now(), terminal.paint),
      `  ${terminal.paint('strong', `This gate ${describeClosedGate(standing)}`)}`,
    ].join('\n'),
  );
  return getExitCode('done');
}

function formatApproveCommand({ gate: { gate_id, packet_hash }, packet }: InboxItem): string {
  const { deciders }: Partial<ApprovalPacket> = packet as object;
  const [role] = deciders?.roles ?? [];
  const decider = role === undefined ? '--as <name>' : `--as <name> --role ${role}`;
  return `ambit gates approve ${gate_id} --packet ${packet_hash} --reason "…" ${decider}`;
}

function renderGate({ terminal }: Call, { gate, gates, packet, changed }: InboxItem): string {
  const comparison =
    changed === null
      ? 'No similar packet was approved before.'
      : changed.length === 0
        ? 'An identical packet was approved before.'
        : `Changed since the last approval: ${changed.map(({ pointer }) => escapeText(pointer)).join(', ')}`;
  const shown = renderPacket(packet, gate.packet_hash, Date.now(), terminal.paint);
  const progress = gates.length > 1 ? [`  ${describeProgress(gates)}`] : [];
  return [shown, ...progress, `  ${terminal.paint('quiet', comparison)}`].join('\n');
}

export const approveGateAction: Action = (call) => withRuntime(call, (opened) => decide(call, opened, 'approve'));
export const rejectGateAction: Action = (call) => withRuntime(call, (opened) => decide(call, opened, 'reject'));
export const editGateAction: Action = (call) => withRuntime(call, (opened) => decide(call, opened, 'edit'));
export const askGateAction: Action = (call) => withRuntime(call, (opened) => decide(call, opened, 'request_info'));

async function decide(call: Call, { runtime, config }: OpenedConfig, decision: GateAction): Promise<number> {
  const { terminal, flags } = call;
  const item = await requireOpenGate(runtime, argument(call, 'gate'));
  const packet = readTextFlag(flags, 'packet');
  if (packet === null && (decision === 'approve' || decision === 'reject') && terminal.isInteractive) {
    const follow = createFollower(runtime, item.gate.session_id, terminal);
    const outcome = await promptGateDecision({ runtime, config, terminal, flags, follow }, item);
    return outcome === null ? getExitCode('waiting') : await showOutcome(terminal, runtime, outcome);
  }
  if (packet === null) {
    const { gate_id, packet_hash } = item.gate;
    const message = `a packet hash is required: read the packet with ambit gates show ${gate_id}, then add --packet ${packet_hash}`;
    throw new Fault('input_invalid', formatHint(message));
  }
  const reason = requireReason(call);
  const asks = readTextFlag(flags, 'of');
  const decider = requireDecider(flags, config);
  const outcome = await submitDecision(runtime, item.gate.gate_id, decider, {
    decision,
    packetHash: matchPacketHash(item.gate, packet),
    reason,
    ...(decision === 'edit' ? { parameters: readEditedParameters(call, item) } : {}),
    ...(asks === null ? {} : { asks }),
    ...(decision === 'approve' ? await chooseGates({ flags, config }, item, decider) : {}),
  });
  return await showOutcome(terminal, runtime, outcome);
}

/** Merges the changed arguments into the arguments of the packet. */
function readEditedParameters({ flags }: Call, { packet }: InboxItem): JsonObject {
  const file = readTextFlag(flags, 'parametersFile');
  if (file !== null) return readJsonFile(resolve(file), '--parameters-file');
  const changes = readAssignmentFlags(flags, 'set');
  if (Object.keys(changes).length === 0)
    throw new Fault('input_invalid', 'nothing to change: add --set <name=value> or --parameters-file <file>');
  return { ...(packet['parameters'] as JsonObject), ...changes };
}

export const answerGateAction: Action = (call) =>
  withRuntime(call, async ({ runtime, config, terminal, flags }) => {
    const item = await requireOpenGate(runtime, argument(call, 'gate'));
    const packetHash = matchPacketHash(item.gate, readTextFlag(flags, 'packet') ?? item.gate.packet_hash);
    const text = readTextFlag(flags, 'text');
    const evidence = readListFlag(flags, 'evidence');
    const gate_id = item.gate.gate_id;
    const credential = requireDecider(flags, config).signInfo({ gate_id, packet_hash: packetHash, text, evidence });
    const content = { ...(text === null ? {} : { text }), ...(evidence.length === 0 ? {} : { evidence }) };
    return await showOutcome(
      terminal,
      runtime,
      await runtime.gates.provideInfo(gate_id, { packetHash, credential, ...content }),
    );
  });
