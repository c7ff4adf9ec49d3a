import type { ApprovalMode } from './approval-mode.ts';
import { defaultGates } from './default-gates.ts';
import { Fault } from './fault.ts';
import { GATE_TOOL_APPROVAL } from './gate.ts';
import type { JsonObject } from './json.ts';
import { parseNamed } from './parse.ts';
import { type Idempotency, NO_COST, ToolSpec } from './tool.ts';

/** What the user states about an imported tool. It stands as stated; the rest is filled in as strictly as is safe. */
export type ToolLabel = Partial<Omit<ToolSpec, 'name' | 'version' | 'input_schema' | 'output_schema' | 'source'>>;

/** What a tool from outside says it is. */
export interface ToolOffer {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly input_schema: JsonObject;
  readonly output_schema: JsonObject;
  readonly source: string;
}

/** What may be assumed about it before the user has said anything. */
export interface Assumed {
  readonly approval_mode: ApprovalMode;
  readonly side_effect: boolean;
  readonly external: boolean;
  readonly idempotency: Idempotency;
  /** Its author wants a person to be asked, whatever its mode. */
  readonly asks: boolean;
}

/** A tool about which nobody has said anything. */
export const UNDECLARED: Assumed = Object.freeze({
  approval_mode: 'destructive',
  side_effect: true,
  external: true,
  idempotency: Object.freeze({ kind: 'none' }),
  asks: false,
});

const TIMEOUT_MS = 60_000;
const RETRIES_MAX = 2;

/** The registry entry of an imported tool. Its results are untrusted unless the label says otherwise. */
export function importedSpec(offer: ToolOffer, assumed: Assumed, label: ToolLabel = {}): ToolSpec {
  const mode = label.approval_mode ?? assumed.approval_mode;
  const isReadOnly = mode === 'read_only';
  const idempotency = label.idempotency ?? (isReadOnly ? ({ kind: 'natural' } as const) : assumed.idempotency);
  const category = label.category ?? (isReadOnly ? 'read_only_lookup' : 'live_api');
  const spec = {
    category,
    active: true,
    external: assumed.external,
    side_effect: !isReadOnly && assumed.side_effect,
    trusted: false,
    gates: assumed.asks ? [GATE_TOOL_APPROVAL] : defaultGates(mode, { category, rules: label.rules }),
    produces: [],
    needs: [],
    timeout_ms: TIMEOUT_MS,
    retries_max: idempotency.kind === 'none' ? 0 : RETRIES_MAX,
    cost: NO_COST,
    // A description that the user wrote is the user's word; what the tool says of its arguments is still its own.
    ...(label.description === undefined ? {} : { vouched: 'description' as const }),
    ...label,
    ...offer,
    description: label.description ?? readable(offer.description),
    approval_mode: mode,
    idempotency,
  };
  return parseNamed(offer.name, ToolSpec, spec, 'input_invalid');
}

/** A label for a tool that is not there is a misspelt one, and the tool that was meant would go unlabelled. */
export function assertLabelled(
  source: string,
  labels: Readonly<Record<string, unknown>>,
  names: readonly string[],
): void {
  const stray = Object.keys(labels).filter((name) => !names.includes(name));
  if (stray.length === 0) return;
  const message = `${source} has no tool ${stray.join(', ')}; it has ${names.toSorted().join(', ') || 'none'}`;
  throw new Fault('input_invalid', message, { path: `/labels/${stray[0]}` });
}

const DESCRIPTION_LENGTH_MAX = 4_096;
/** Control and format characters, halves of characters and unassigned ones; not tabs and line breaks. */
const UNREADABLE = /[^\P{C}\t\n\r]/gu;

/** A stranger's description is shown to people and to planners: what one of them cannot see is not shown to the other. */
function readable(text: string): string {
  return text.slice(0, DESCRIPTION_LENGTH_MAX).toWellFormed().replace(UNREADABLE, '');
}
