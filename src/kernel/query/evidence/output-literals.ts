import { type OutputField, REQUEST_REF, SCHEMA_REF } from '../../../model/evidence/output.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import { jsonAt, sameJson } from '../../../model/json/json-at.ts';
import { type JsonLeaf, leavesIn } from '../../../model/json/leaves.ts';
import { pointerKeys, pointerToken } from '../../../model/json/pointer.ts';
import { hasSealedHandle, placesIn } from '../../../model/json/sealed.ts';
import { storedAt } from '../../../model/json/stored-answer.ts';
import { looksLikeBinding, looksLikeDraft } from '../../../model/plan/plan.ts';
import type { KernelEnv } from '../../env.ts';
import type { RunState } from '../../state/run-state.ts';
import { locate } from '../../verify/fit/locate.ts';
import { rooted } from '../../verify/fit/rooted.ts';
import { explainFit } from '../../verify/fit/schema-fit.ts';
import type { LiteralLeaf } from '../../verify/output.ts';
import { specOf } from '../plan/tools.ts';
import { untrustedInputs } from '../provenance/inputs.ts';
import { usableFacts } from './answer-facts.ts';

/**
 * Finds the field that supports each literal of an output. The schema may fix the value. Otherwise a committed fact, or
 * an input of the run, must have the same value in a field of the same name, in a record that contradicts no other
 * literal of its object. The same value under another name is no support: a payer is no payee. Words of the request
 * support nothing: a question is no observation.
 */
export function supportedLiterals(
  env: KernelEnv,
  state: RunState,
  schema: JsonObject,
  output: Json,
): readonly LiteralLeaf[] {
  const literals = leavesIn(output, isPlaceholder);
  if (literals.length === 0) return [];
  const known = knownLeaves(env, state);
  return literals.map((leaf) => {
    if (isFixed(schema, leaf))
      return { ...leaf, field: { at: leaf.at, ref: SCHEMA_REF, pointer: leaf.at, trusted: true } };
    const siblings = literals.filter(({ record }) => record === leaf.record);
    return { ...leaf, field: fieldFor(leaf, siblings, known) };
  });
}

const isPlaceholder = (part: Json): boolean => looksLikeBinding(part) || looksLikeDraft(part);

/** Whether the schema admits only this value at the place of the literal. */
function isFixed(schema: JsonObject, { at, value }: JsonLeaf): boolean {
  const located = locate(rooted(schema), pointerKeys(at));
  return located.presence !== 'never' && explainFit(located.schema, rooted({ const: value })).answer === 'fits';
}

/** A leaf of a committed fact or of an input, and the document that holds it. */
interface KnownLeaf extends JsonLeaf {
  readonly ref: string;
  readonly trusted: boolean;
  readonly document: Json;
}

/** The leaves that may support an output, the newest facts first. Sealed values and values in a blob support nothing. */
function knownLeaves(env: KernelEnv, state: RunState): readonly KnownLeaf[] {
  const facts = usableFacts(env, state).filter(({ fact }) => storedAt(fact.value) === null);
  const committed = facts.toReversed().flatMap(({ step, fact }) => {
    const { value: document, evidenceId: ref, trusted } = fact;
    const hidden = placesIn(document, specOf(env, step.tool).privacy?.seals ?? []);
    const isShown = ({ at }: JsonLeaf): boolean => !hidden.some((place) => at === place || at.startsWith(`${place}/`));
    return leavesIn(document)
      .filter(isShown)
      .map((leaf) => ({ ...leaf, ref, trusted, document }));
  });
  const { answers } = state.intake;
  const others = untrustedInputs(state).map((name) => pointerToken(name));
  const inputs = leavesIn(answers).map((leaf) => {
    const trusted = !others.some((place) => leaf.at === place || leaf.at.startsWith(`${place}/`));
    return { ...leaf, ref: REQUEST_REF, trusted, document: answers };
  });
  return [...committed, ...inputs].filter(({ value }) => !hasSealedHandle(value));
}

function fieldFor(leaf: JsonLeaf, siblings: readonly JsonLeaf[], known: readonly KnownLeaf[]): OutputField | null {
  const namesakes = known.filter((source) => sameName(source, leaf));
  const isEqual = ({ value }: KnownLeaf): boolean => sameJson(value, leaf.value);
  // An observation outweighs an input of the same name.
  const isRefuted = namesakes.some((source) => source.ref !== REQUEST_REF && !isEqual(source));
  const source = namesakes.find(
    (each) => isEqual(each) && agrees(each, siblings) && !(isRefuted && each.ref === REQUEST_REF),
  );
  return source === undefined ? null : { at: leaf.at, ref: source.ref, pointer: source.at, trusted: source.trusted };
}

/** Letter case and separators do not count: `totalCents` and `total_cents` are the same name. */
const foldName = (name: string): string => name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

const sameName = (a: Pick<JsonLeaf, 'name'>, b: Pick<JsonLeaf, 'name'>): boolean =>
  a.name !== '' && foldName(a.name) === foldName(b.name);

/** Whether the record of a source contradicts none of the literals: values of two records are not mixed. */
function agrees({ document, record }: KnownLeaf, siblings: readonly JsonLeaf[]): boolean {
  const fields = jsonAt(document, record);
  if (!isJsonObject(fields ?? null)) return true;
  return Object.entries(fields as JsonObject).every(([name, value]) =>
    siblings.every((sibling) => !sameName({ name }, sibling) || isPart(value) || sameJson(value, sibling.value)),
  );
}

/** Lists and objects have leaves of their own. */
const isPart = (value: Json): boolean => typeof value === 'object' && value !== null && Object.keys(value).length > 0;
