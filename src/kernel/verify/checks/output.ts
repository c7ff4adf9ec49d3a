import { canonicalize } from '../../../model/json/canonical.ts';
import type { Json } from '../../../model/json/json.ts';
import type { Problem } from '../../../model/json/problem.ts';
import { looksLikeDraft } from '../../../model/plan/plan.ts';
import { toProducer } from '../bindings.ts';
import type { Producer } from '../fit/domain.ts';
import { ANYTHING, rooted } from '../fit/rooted.ts';
import { explainFit } from '../fit/schema-fit.ts';
import { BIND_IT, meetsPattern, type OutputTerms, unsupported } from '../output.ts';
import { boundPlaces, type Hole, nearestBinding, readBinding } from '../read-binding.ts';
import type { Subject } from '../subject.ts';

/** True if the agent declares an output, or the plan has one. */
export const hasOutput = ({ plan, context }: Subject): boolean =>
  context.output !== undefined || plan.output !== undefined;

/** Checks that the output fits its schema and that each of its leaves is bound to a fact. */
export function checkOutput(subject: Subject): readonly Problem[] {
  const { plan, context } = subject;
  const { output } = plan;
  const terms = context.output;
  if (terms === undefined) return [invalid('', 'this agent declares no output: remove it from the plan')];
  if (output !== undefined) return examineOutput(subject, terms, output);
  return terms.isOwed(plan) ? [invalid('', `is missing: give a value of the declared schema; ${BIND_IT}`)] : [];
}

function examineOutput(subject: Subject, terms: OutputTerms, output: Json): readonly Problem[] {
  const problems: Problem[] = [];
  const holes: Hole[] = [];
  const shape = toProducer(output, (raw, path): Producer => {
    const isDraft: boolean = looksLikeDraft(raw);
    if (isDraft) {
      problems.push(unsupported(path, 'a draft is no committed value'));
      return ANYTHING;
    }
    const read = readBinding(raw, path, subject.sources.atEnd);
    if ('failure' in read) {
      const { message, ...failure } = read.failure;
      problems.push({ ...failure, path: `/output${path}`, message: `output${path}: ${message}` });
      return ANYTHING;
    }
    holes.push(read.hole);
    problems.push(...forbiddenSource(subject, read.hole));
    return read.producer;
  });
  const bound = boundPlaces(holes);
  for (const { path, message } of explainFit(shape, rooted(terms.schema)).misfits) {
    const binding = nearestBinding(bound, path);
    problems.push(
      binding === undefined
        ? invalid(path, message)
        : {
            code: 'binding_type_mismatch',
            path: `/output${path}`,
            message: `output${path}: what ${binding.$from}${binding.path} supplies ${message}`,
          },
    );
  }
  for (const { at, value, field } of terms.literalsOf(output)) {
    if (field === null) problems.push(unsupported(at, `no committed fact supports ${shown(value)}: ${BIND_IT}`));
  }
  return problems;
}

/** A binding to words of a model, or to a sealed value, supports nothing. */
function forbiddenSource({ sources, context }: Subject, { path, binding }: Hole): readonly Problem[] {
  const source = sources.atEnd(binding.$from);
  const spec = source.kind === 'found' ? context.tools.get(source.tool) : undefined;
  if (spec?.speaks !== undefined)
    return [unsupported(path, `${binding.$from} holds words of the model and no observation: ${BIND_IT}`)];
  const isSealed = spec?.privacy?.seals?.some((pattern) => meetsPattern(binding.path, pattern)) === true;
  return isSealed ? [unsupported(path, `${binding.$from}${binding.path} is sealed and may not leave the run`)] : [];
}

const invalid = (at: string, message: string): Problem => ({
  code: 'output_invalid',
  path: `/output${at}`,
  message: `output${at}: ${message}`,
});

const SHOWN_MAX = 80;

function shown(value: Json): string {
  const text = canonicalize(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}
