/**
 * Checks the order of parameters in a definition and of arguments in a call. Reports through the
 * callback.
 */
import type { Argument, ParameterNode } from './ast.ts';

type Report = (at: number, message: string) => void;

export function checkParameters(params: readonly ParameterNode[], report: Report): void {
  let star: ParameterNode | undefined;
  let starStar = false;
  let optional = false;
  let keywordOnly = 0;
  for (const param of params) {
    switch (param.kind) {
      case 'plain':
      case 'optional':
        if (starStar) report(param.at, 'parameter may not follow **kwargs');
        else if (star !== undefined) keywordOnly++;
        else if (param.kind === 'plain' && optional) report(param.at, 'required parameter may not follow optional');
        if (param.kind === 'optional') optional = true;
        break;
      case 'star':
      case 'bare-star':
        if (starStar) report(param.at, '* parameter may not follow **kwargs');
        else if (star !== undefined) report(param.at, 'multiple * parameters not allowed');
        else star = param;
        break;
      case 'star-star':
        if (starStar) report(param.at, 'multiple ** parameters not allowed');
        starStar = true;
        break;
    }
  }
  if (star?.kind === 'bare-star' && keywordOnly === 0) report(star.at, 'bare * must be followed by keyword-only parameters');
}

export function checkArguments(args: readonly Argument[], report: Report): void {
  let spread = false;
  let spreadNamed = false;
  const names = new Set<string>();
  for (const arg of args) {
    switch (arg.kind) {
      case 'spread':
        if (spreadNamed) report(arg.at, '*args may not follow **kwargs');
        else if (spread) report(arg.at, 'multiple *args not allowed');
        spread = true;
        break;
      case 'spread-named':
        if (spreadNamed) report(arg.at, 'multiple **kwargs not allowed');
        spreadNamed = true;
        break;
      case 'named':
        if (spreadNamed) report(arg.at, 'keyword argument may not follow **kwargs');
        else if (spread) report(arg.at, 'keyword argument may not follow *args');
        else if (names.has(arg.name)) report(arg.at, `keyword argument "${arg.name}" is repeated`);
        names.add(arg.name);
        break;
      case 'positional':
        if (spreadNamed) report(arg.at, 'positional argument may not follow **kwargs');
        else if (spread) report(arg.at, 'positional argument may not follow *args');
        else if (names.size > 0) report(arg.at, 'positional argument may not follow named');
        break;
    }
  }
}
