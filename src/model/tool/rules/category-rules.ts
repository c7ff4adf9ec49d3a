import type { z } from 'zod';
import { Fault } from '../../fault/fault.ts';
import { runsInline } from '../../gate/approval-mode.ts';
import type { JsonObject } from '../../json/json.ts';
import { parseNamed } from '../../json/parse.ts';
import type { ToolCategory, ToolSpec } from '../tool.ts';
import { DatabaseRules } from './database.ts';
import { EmailCalendarRules } from './email-calendar.ts';
import { FileSystemRules } from './file-system.ts';
import {
  InfrastructureRules,
  LiveApiRules,
  ReadOnlyLookupRules,
  ReviewQueueRules,
  VectorRetrievalRules,
} from './lookups.ts';
import { PaymentRules } from './payment.ts';
import { SandboxCodeRules } from './sandbox-code.ts';

/** The type of a tool's `rules`, by category. */
export interface CategoryRules {
  readonly read_only_lookup: ReadOnlyLookupRules;
  readonly vector_retrieval: VectorRetrievalRules;
  readonly live_api: LiveApiRules;
  readonly sandbox_code: SandboxCodeRules;
  readonly file_system: FileSystemRules;
  readonly database: DatabaseRules;
  readonly email_calendar: EmailCalendarRules;
  readonly payment: PaymentRules;
  readonly infrastructure: InfrastructureRules;
  readonly review_queue: ReviewQueueRules;
}

const SCHEMAS: { readonly [C in ToolCategory]: z.ZodType<CategoryRules[C]> } = {
  read_only_lookup: ReadOnlyLookupRules,
  vector_retrieval: VectorRetrievalRules,
  live_api: LiveApiRules,
  sandbox_code: SandboxCodeRules,
  file_system: FileSystemRules,
  database: DatabaseRules,
  email_calendar: EmailCalendarRules,
  payment: PaymentRules,
  infrastructure: InfrastructureRules,
  review_queue: ReviewQueueRules,
};

/** Returns the rules that a tool has to declare, as text for the fault message, or null if it needs none. */
type Need = (spec: ToolSpec) => string | null;

const NOTHING: Need = () => null;

/** Requires rules from every tool that runs inline, because only the rules limit what it can reach. */
const requireIfInline =
  (what: string): Need =>
  ({ approval_mode }) =>
    runsInline(approval_mode) ? what : null;

/**
 * Requires rules from an inline tool with side effects. Only the rules tell which of its calls need approval; without
 * them every call has to pass a gate.
 */
const requireIfInlineEffect =
  (what: string): Need =>
  ({ approval_mode, side_effect }) =>
    side_effect && runsInline(approval_mode) ? what : null;

const NEEDS: { readonly [C in ToolCategory]: Need } = {
  read_only_lookup: NOTHING,
  vector_retrieval: requireIfInline('corpus, corpora, documents and document: what may be searched, and what is cited'),
  live_api: NOTHING,
  sandbox_code: NOTHING,
  file_system: requireIfInline('root, allow, paths and operation: where it may go'),
  database: requireIfInline('statement, allow and tables: what it may send'),
  email_calendar: requireIfInlineEffect(
    'operation, recipients, content and intent: which calls only draft, and who is reached',
  ),
  payment: requireIfInlineEffect(
    'operation, amount, currency, vendor, chain, terms and budget: which calls only prepare, and what is right',
  ),
  infrastructure: ({ side_effect }) =>
    side_effect ? 'operation and target: which calls only diagnose, and what may be touched' : null,
  review_queue: () => 'reason, queue, severity and evidence: where the call says what is to be looked at',
};

/** Parsed rules by rules object. A registry is frozen and its rules are read at every call. */
const PARSED = new WeakMap<JsonObject, unknown>();

/** Parses the rules of a tool by its category. Returns null if it has none; invalid rules throw a fault. */
export function rulesOf<C extends ToolCategory>(spec: ToolSpec & { readonly category: C }): CategoryRules[C] | null {
  const { rules, category } = spec;
  if (rules === undefined) return null;
  const known = PARSED.get(rules) as { readonly category: C; readonly rules: CategoryRules[C] } | undefined;
  if (known?.category === category) return known.rules;
  const parsed = parseNamed(`rules of ${spec.name} (${category})`, SCHEMAS[category], rules, 'input_invalid');
  PARSED.set(rules, { category, rules: parsed });
  return parsed;
}

/** Throws a fault if the rules of a tool are invalid, missing or incomplete. The message says how to fix it. */
export function assertRules(spec: ToolSpec): void {
  if (rulesOf(spec) !== null) {
    if (spec.category === 'infrastructure')
      assertHazardsDeclared(spec, rulesOf({ ...spec, category: 'infrastructure' }));
    return;
  }
  const needed = NEEDS[spec.category](spec);
  if (needed === null) return;
  const message = `${spec.name} belongs to ${spec.category} and has no rules: give rules with ${needed}`;
  throw new Fault('input_invalid', message, { path: '/rules' });
}

/** Requires blast radius and rollback, in `hazards` or as arguments, because the approver needs both. */
function assertHazardsDeclared({ name, side_effect, hazards }: ToolSpec, rules: InfrastructureRules | null): void {
  if (!side_effect || rules === null) return;
  const lacking = [
    ...(hazards?.blast_radius === undefined && rules.blast_radius === undefined ? ['blast_radius'] : []),
    ...(hazards?.rollback === undefined && rules.rollback === undefined ? ['rollback'] : []),
  ];
  if (lacking.length === 0) return;
  const message = `${name} changes infrastructure: say ${lacking.join(' and ')} in hazards, or name the arguments that do in rules`;
  throw new Fault('packet_incomplete', message, { path: '/rules' });
}
