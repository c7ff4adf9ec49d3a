/** One sentence that a scripted model writes, with the fields that it cites. */
interface ScriptedSentence {
  readonly text: string;
  readonly cites: readonly { readonly ref: string; readonly pointer: string }[];
  /** Set for a sentence that is wrong on purpose, so that the release check has something to refuse. */
  readonly wrong?: true;
}

/**
 * The answer of a scripted model: the request, the facts that the tools return, and the drafts. A later draft rewrites
 * the sentences that the check did not accept. `npm run check:answers` puts the same sentences through the check.
 */
export interface ScriptedAnswer {
  readonly id: string;
  readonly request: string;
  readonly facts: readonly {
    readonly ref: string;
    readonly tool: string;
    readonly value: object;
    readonly complete?: readonly string[];
    readonly untrusted?: readonly string[];
  }[];
  readonly drafts: readonly (readonly ScriptedSentence[])[];
}

/** A sentence that rests on fields of one fact. */
export const sentence = (text: string, ref: string, ...pointers: readonly string[]): ScriptedSentence => ({
  text,
  cites: pointers.map((pointer) => ({ ref, pointer })),
});

/** The drafts as the model sends them: one JSON object per request. */
export const draftsOf = ({ drafts }: ScriptedAnswer): readonly { readonly sentences: readonly object[] }[] =>
  drafts.map((sentences) => ({ sentences: sentences.map(({ text, cites }) => ({ text, cites })) }));

/** One step of a plan as a model writes it. Later steps name its result by its context key. */
export const plannedStep = (
  id: string,
  tool: string,
  params: object,
  { key = null, inputs = [] }: { readonly key?: string | null; readonly inputs?: readonly string[] } = {},
): object => ({
  id,
  tool,
  task_objective: `use ${tool}`,
  params,
  depends_on: [],
  context_key: key,
  inputs,
  success_criteria: null,
});
