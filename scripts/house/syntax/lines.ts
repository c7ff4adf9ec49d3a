/** Maps an offset in a text to its line, counted from 1. */
export function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Counts the lines of a span that hold code: blank lines and lines with nothing but comments do not count. */
export function codeLineCounter(text: string, comments: readonly Span[]): (span: Span) => number {
  let code = '';
  let from = 0;
  for (const { start, end } of comments) {
    code += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/g, ' ');
    from = end;
  }
  code += text.slice(from);
  return ({ start, end }) =>
    code
      .slice(start, end)
      .split('\n')
      .filter((line) => line.trim() !== '').length;
}
