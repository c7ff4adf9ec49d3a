import type { z } from 'zod';
import { runsInline } from '../approval-mode.ts';
import { Fault } from '../fault.ts';
import type { JsonObject } from '../json.ts';
import { parseNamed } from '../parse.ts';
import type { ToolCategory, ToolSpec } from '../tool.ts';
import { DatabaseRules } from './database.ts';
import { EmailCalendarRules } from './email-calendar.ts';
import { FileSystemRules } from './file-system.ts';
import { InfrastructureRules } from './infrastructure.ts';
import { LiveApiRules } from './live-api.ts';
import { PaymentRules } from './payment.ts';
import { ReadOnlyLookupRules } from './read-only-lookup.ts';
import { ReviewQueueRules } from './review-queue.ts';
import { SandboxCodeRules } from './sandbox-code.ts';
import { VectorRetrievalRules } from './vector-retrieval.ts';

/** What `rules` of a tool holds, by its category. */
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

/** When a tool of a category has to say how its calls are checked, and what it should say. */
type Need = (spec: ToolSpec) => string | null;

const NOTHING: Need = () => null;

/** Looking is scoped by the rules alone, so a tool without them would look anywhere. */
const toLook =
  (what: string): Need =>
  ({ approval_mode }) =>
    runsInline(approval_mode) ? what : null;

/** A call that acts needs a person. Without rules nobody can tell which calls do, so all of them have to be asked about. */
const toAct =
  (what: string): Need =>
  ({ approval_mode, side_effect }) =>
    side_effect && runsInline(approval_mode) ? what : null;

const NEEDS: { readonly [C in ToolCategory]: Need } = {
  read_only_lookup: NOTHING,
  vector_retrieval: toLook('corpus, corpora, documents and document: what may be searched, and what is cited'),
  live_api: NOTHING,
  sandbox_code: NOTHING,
  file_system: toLook('root, allow, paths and operation: where it may go'),
  database: toLook('statement, allow and tables: what it may send'),
  email_calendar: toAct('operation, recipients, content and intent: which calls only draft, and who is reached'),
  payment: toAct(
    'operation, amount, currency, vendor, chain, terms and budget: which calls only prepare, and what is right',
  ),
  infrastructure: ({ side_effect }) =>
    side_effect ? 'operation and target: which calls only diagnose, and what may be touched' : null,
  review_queue: () => 'reason, queue, severity and evidence: where the call says what is to be looked at',
};

/** Parsed once for each tool: a registry is frozen, and its rules are asked about at every call. */
const PARSED = new WeakMap<JsonObject, unknown>();

/** The rules of a tool as its category reads them; null where it has none. Rules that do not fit are a fault. */
export function rulesOf<C extends ToolCategory>(spec: ToolSpec & { readonly category: C }): CategoryRules[C] | null {
  const { rules, category } = spec;
  if (rules === undefined) return null;
  const known = PARSED.get(rules) as { readonly category: C; readonly rules: CategoryRules[C] } | undefined;
  if (known?.category === category) return known.rules;
  const parsed = parseNamed(`rules of ${spec.name} (${category})`, SCHEMAS[category], rules, 'input_invalid');
  PARSED.set(rules, { category, rules: parsed });
  return parsed;
}

/** What is wrong with the rules of a tool, with what to do about it. */
export function assertRules(spec: ToolSpec): void {
  if (rulesOf(spec) !== null) {
    if (spec.category === 'infrastructure') assertTakenBack(spec, rulesOf({ ...spec, category: 'infrastructure' }));
    return;
  }
  const needed = NEEDS[spec.category](spec);
  if (needed === null) return;
  const message = `${spec.name} belongs to ${spec.category} and has no rules: give rules with ${needed}`;
  throw new Fault('input_invalid', message, { path: '/rules' });
}

/** An operator is told how far it reaches and how it is taken back, by the tool or by the call. */
function assertTakenBack({ name, side_effect, hazards }: ToolSpec, rules: InfrastructureRules | null): void {
  if (!side_effect || rules === null) return;
  const lacking = [
    ...(hazards?.blast_radius === undefined && rules.blast_radius === undefined ? ['blast_radius'] : []),
    ...(hazards?.rollback === undefined && rules.rollback === undefined ? ['rollback'] : []),
  ];
  if (lacking.length === 0) return;
  const message = `${name} changes infrastructure: say ${lacking.join(' and ')} in hazards, or name the arguments that do in rules`;
  throw new Fault('packet_incomplete', message, { path: '/rules' });
}
