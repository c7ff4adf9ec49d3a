import type { ApprovalPacket, DryRun, JsonObject, Plan } from '../../index.ts';
import { printed, printedJson } from '../terminal/printed.ts';
import { pairs } from '../terminal/table.ts';
import type { Paint } from '../terminal/terminal.ts';
import { ago, instant } from './instants.ts';
import { money } from './money.ts';

/** What a gate shows, word for word: nothing of the packet is left out, and what strangers wrote cannot hide. */
export function packetView(packet: JsonObject, hash: string, now: number, paint: Paint): string {
  const shown: Partial<ApprovalPacket> & { readonly task?: string } = packet as object;
  const { gate, action, task, position, expires_at } = shown;
  const title = [gate, action ?? task].filter((part) => part !== undefined).map((part) => printed(String(part)));
  const step = position == null ? '' : paint('quiet', `  step ${position.n} of ${position.of}`);
  return [
    `${paint('waits', title[0] ?? 'gate')}  ${paint('strong', title[1] ?? '')}${step}`,
    ...argumentLines(packet, paint),
    ...planLines(packet, paint),
    ...pairs([
      ['cost', shown.cost === undefined ? null : costOf(shown.cost)],
      ['mode', shown.approval_mode === undefined ? null : `${shown.approval_mode}, risk ${String(shown.risk)}`],
      ['reach', shown.blast_radius === undefined ? null : printed(shown.blast_radius)],
      ['back', shown.rollback_path === undefined ? null : printed(shown.rollback_path)],
      ['rests on', shown.evidence === undefined ? null : evidenceOf(shown.evidence)],
      ['asked by', shown.requested_by === undefined ? null : printed(shown.requested_by)],
      ['decided by', shown.deciders === undefined ? null : decidersOf(shown)],
      ['expires', expires_at === undefined ? null : `${instant(expires_at)}, ${ago(expires_at, now)}`],
    ]).map((line) => `  ${line}`),
    ...restOf(packet),
    `  ${paint('quiet', 'packet')}  ${paint('strong', hash)}`,
  ].join('\n');
}

/** Shown by a line of their own. */
const TOLD: ReadonlySet<string> = new Set([
  'gate',
  'action',
  'task',
  'parameters',
  'provenance',
  'position',
  'cost',
  'approval_mode',
  'risk',
  'blast_radius',
  'rollback_path',
  'evidence',
  'evidence_refs',
  'requested_by',
  'deciders',
  'expires_at',
  'plan',
  'dry_run',
]);

function restOf(packet: JsonObject): readonly string[] {
  const rest = Object.entries(packet).filter(([name, value]) => !TOLD.has(name) && value !== null);
  return pairs(
    rest.map(([name, value]) => [name, typeof value === 'string' ? printed(value) : printedJson(value)]),
  ).map((line) => `  ${line}`);
}

/** Each argument by itself, and where it comes from. One from an untrusted source must not look like any other. */
function argumentLines(packet: JsonObject, paint: Paint): readonly string[] {
  const { parameters, provenance = {} }: Partial<ApprovalPacket> = packet as object;
  if (parameters === undefined) return [];
  return Object.entries(parameters).flatMap(([name, value]) => {
    const sources = Object.entries(provenance).filter(([pointer]) => isWithin(pointer, name));
    const marks = sources.map(([pointer, { source, trusted }]) => {
      const deeper = pointer === `/${name}` || pointer === '' ? '' : `${printed(pointer)} `;
      const from = `${deeper}from ${printed(source)}`;
      return trusted ? paint('quiet', from) : paint('bad', `${from}, UNTRUSTED`);
    });
    const line = `  ${paint('name', printed(name))} = ${printedJson(value)}`;
    return [marks.length === 0 ? line : `${line}  ${marks.join(', ')}`];
  });
}

const isWithin = (pointer: string, name: string): boolean => {
  const [, first] = pointer.split('/');
  return first === undefined || first.replaceAll('~1', '/').replaceAll('~0', '~') === name;
};

/** The gate of a whole plan shows what each of its calls would do. */
function planLines(packet: JsonObject, paint: Paint): readonly string[] {
  const { dry_run, plan }: { readonly dry_run?: DryRun; readonly plan?: Plan } = packet as object;
  if (dry_run === undefined) return plan === undefined ? [] : [`  plan  ${printedJson(plan)}`];
  return dry_run.calls.map(({ n, action, parameters, approval_mode, gates }) => {
    const asks = gates.length === 0 ? '' : paint('waits', `  asks ${gates.map(printed).join(', ')}`);
    return `  ${n}. ${paint('strong', printed(action))} ${printedJson(parameters)} ${paint('quiet', approval_mode)}${asks}`;
  });
}

function costOf({ input_tokens, output_tokens, microusd }: ApprovalPacket['cost']): string {
  const tokens = input_tokens + output_tokens;
  return tokens === 0 ? money(microusd) : `${money(microusd)}, ${tokens} tokens`;
}

function evidenceOf(evidence: ApprovalPacket['evidence']): string | null {
  if (evidence.length === 0) return null;
  return evidence.map(({ evidence_id, source }) => `${printed(evidence_id)} (${printed(source)})`).join(', ');
}

function decidersOf({ deciders, requested_by }: Partial<ApprovalPacket>): string | null {
  if (deciders === undefined) return null;
  const who = deciders.roles.length === 0 ? 'anybody' : deciders.roles.map(printed).join(' or ');
  const many = deciders.quorum === 1 ? 'one' : `${deciders.quorum} different people`;
  return `${many} of ${who}, never ${printed(String(requested_by))}`;
}
