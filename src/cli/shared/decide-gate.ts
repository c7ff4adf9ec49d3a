import { type ApprovalPacket, type DecisionStatement, decidableGates, type InboxItem } from '../../approvals.ts';
import { type Ambit, type AmbitConfig, Fault, type JsonObject, type RunOutcome } from '../../index.ts';
import { type Flags, readListFlag, readTextFlag } from '../command.ts';
import { createLocalDecider, type Decider, findDecider } from '../decider.ts';
import { askChoice, askText, discardTypedKeys } from '../terminal/prompts.ts';
import type { CliTerminal } from '../terminal/terminal.ts';
import { describeProgress } from '../views/describe-progress.ts';
import { renderPacket } from '../views/render-packet.ts';
import { renderOriginLines } from '../views/run-details.ts';
import { readOrigin } from './read-run.ts';

/** A decision that a person can make at a gate. */
export type GateAction = DecisionStatement['decision'];

/** The choices of the prompt, those that leave the gate open first. An edit needs arguments, so only flags can carry it. */
const PROMPT_CHOICES: Readonly<Record<GateAction, { readonly label: string; readonly hint: string } | null>> = {
  request_info: { label: 'Ask first', hint: 'the gate stays open' },
  reject: { label: 'Reject', hint: 'ends the run' },
  approve: { label: 'Approve', hint: 'this call, once' },
  edit: null,
};
const CHOICES = Object.entries(PROMPT_CHOICES).flatMap(([value, choice]) =>
  choice === null ? [] : [{ value: value as GateAction, ...choice }],
);

interface GateAnswer {
  readonly decision: GateAction;
  readonly packetHash: string;
  readonly reason: string;
  readonly parameters?: JsonObject;
  readonly asks?: string;
  /** The gates that an approval covers, if the call has several. */
  readonly gates?: readonly string[];
}

export async function submitDecision(
  runtime: Ambit,
  gateId: string,
  decider: Decider,
  gateAnswer: GateAnswer,
): Promise<RunOutcome> {
  const { decision, packetHash, reason, parameters, asks, gates } = gateAnswer;
  const inquiry = asks === undefined ? {} : { asks };
  const named = gates === undefined ? {} : { gates };
  const credential = decider.signGate({
    gate_id: gateId,
    packet_hash: packetHash,
    decision,
    reason,
    parameters: parameters ?? null,
    ...inquiry,
    ...named,
  });
  const answer = { packetHash, credential, reason };
  switch (decision) {
    case 'approve':
      return await runtime.approve(gateId, { ...answer, ...named });
    case 'reject':
      return await runtime.gates.reject(gateId, answer);
    case 'edit':
      return await runtime.gates.edit(gateId, { ...answer, parameters: parameters ?? {} });
    case 'request_info':
      return await runtime.gates.requestInfo(gateId, { ...answer, ...inquiry });
    default:
      throw new Fault('input_invalid', `${JSON.stringify(decision satisfies never)} is not a decision at a gate`);
  }
}

/**
 * Chooses the gates that an approval covers. A signature has to name them, so those of a key are found by its roles;
 * without a key, the runtime chooses.
 */
export async function chooseGates(
  { config, flags }: Pick<PromptContext, 'config' | 'flags'>,
  { packet, gates }: InboxItem,
  { keyId }: Decider,
): Promise<Pick<GateAnswer, 'gates'>> {
  const typed = readListFlag(flags, 'for');
  if (typed.length > 0) return { gates: typed };
  if (gates.length === 1 || keyId === null) return {};
  const key = await config.world?.policy?.approvers?.keys?.find(keyId);
  const decided = gates.flatMap(({ name, decided_by }) => (decided_by === null ? [] : [name]));
  const found = decidableGates(packet as unknown as ApprovalPacket, key?.roles ?? [], decided);
  // Without a gate for this key, the runtime says who decides the gates that are left.
  const open = gates.flatMap(({ name, decided_by }) => (decided_by === null ? [name] : []));
  return { gates: found.length > 0 ? found : open };
}

export interface PromptContext {
  readonly runtime: Ambit;
  readonly config: AmbitConfig;
  readonly terminal: CliTerminal;
  readonly flags: Flags;
  /** Draws the run while it continues. */
  readonly follow: (work: Promise<RunOutcome>) => Promise<RunOutcome>;
}

/** Shows a gate at the terminal and prompts for a decision. Returns null if the user decides later. */
export async function promptGateDecision(
  { runtime, config, terminal, flags, follow }: PromptContext,
  item: InboxItem,
): Promise<RunOutcome | null> {
  const { gate_id, session_id, packet_hash: packetHash } = item.gate;
  const origin = await readOrigin(runtime, session_id);
  terminal.note((paint) => ['', ...renderOriginLines(origin, paint)].join('\n'));
  terminal.note((paint) => `${renderPacket(item.packet, packetHash, Date.now(), paint)}\n`);
  if (item.gates.length > 1) terminal.note(() => `  ${describeProgress(item.gates)}`);
  discardTypedKeys();
  const decision = await askChoice<GateAction | 'later'>('Your decision on exactly this packet?', [
    // The default must not decide anything: a user may press Enter without reading.
    { value: 'later', label: 'Later', hint: 'the run keeps waiting' },
    ...CHOICES,
  ]);
  if (decision === null || decision === 'later') return null;
  const decider = findDecider(flags, config) ?? (await promptDecider(readDeciderRoles(item.packet)));
  if (decider === null) return null;
  const reason =
    readTextFlag(flags, 'reason') ?? (await askText(decision === 'request_info' ? 'Your question?' : 'Reason?'));
  if (reason === null) return null;
  try {
    const named = decision === 'approve' ? await chooseGates({ config, flags }, item, decider) : {};
    return await follow(submitDecision(runtime, gate_id, decider, { decision, packetHash, reason, ...named }));
  } catch (error) {
    if (!Fault.is(error)) throw error;
    // A refused decision leaves the gate open, so the command continues.
    terminal.note((paint) => `${paint('bad', error.code)} ${error.message}`);
    return null;
  }
}

/** Prompts for a name and a role. If keys are enrolled, the runtime refuses such an unsigned decision. */
async function promptDecider(roles: readonly string[]): Promise<Decider | null> {
  const name = await askText('Your name, for the record?');
  if (name === null || roles.length === 0) return name === null ? null : createLocalDecider(name, []);
  const role = await askText('Your role, for the record?', roles[0]);
  return role === null ? null : createLocalDecider(name, [role]);
}

/** Reads the roles that may decide. An empty list allows every role. */
function readDeciderRoles(packet: JsonObject): readonly string[] {
  const { deciders, gates }: Partial<ApprovalPacket> = packet as object;
  const lists = (gates ?? []).map((gate) => gate.deciders.roles);
  return lists.length === 0 ? (deciders?.roles ?? []) : [...new Set(lists.flat())];
}
