/** A name as people hear it: directories that keep Ana apart from ana are rarer than those that do not. */
const folded = (name: string): string => name.normalize('NFKC').toUpperCase().toLowerCase();

/** Whether two names may be those of one person. In doubt they are: whoever decides alone must not count as two. */
export const samePerson = (a: string, b: string): boolean => a === b || folded(a) === folded(b);
