/** Something that can be found in a text by its wording alone. */
export interface TextRule {
  /** What a trace says was found. Several wordings of one idea share a name. */
  readonly name: string;
  readonly pattern: RegExp;
}

/** The names of the rules that a text breaks, each once, in the order of the table. */
export function brokenRules(rules: readonly TextRule[], text: string): readonly string[] {
  return [...new Set(rules.filter(({ pattern }) => pattern.test(text)).map(({ name }) => name))];
}
