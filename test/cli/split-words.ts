/** Splits an example as a shell would, without pipes and redirections. */
export function splitWords(line: string): readonly string[] {
  const [, typed = ''] = /ambit ([^|>)]*)/.exec(line) ?? [];
  const words = typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g);
  return Array.from(words, ([, quoted, exact, plain]) => quoted ?? exact ?? plain ?? '');
}
