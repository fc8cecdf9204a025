/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `fairlead completion SHELL` prints.  Each script hands the words of the line
 * to `fairlead completion words` and shows what comes back; it knows no verb itself.
 * Nothing of the line is evaluated, and standard input is left alone.
 */
#include "cli/options/complete.h"

/* Bash gives words as they were typed: quotes and backslashes are taken off, and nothing else. */
const char fl_script_bash[] =
	"# bash completion for fairlead: source it, or put it where bash-completion looks\n"
	"_fairlead()\n"
	"{\n"
	"\tlocal command=${COMP_WORDS[0]/#\\~/$HOME} line\n"
	"\tlocal -a words=(\"${COMP_WORDS[@]:1:COMP_CWORD}\") lines\n"
	"\twords=(\"${words[@]//[\\\\\\\"\\']/}\")\n"
	"\tCOMPREPLY=()\n"
	"\tmapfile -t lines <<<\"$(\"$command\" completion words -- \"${words[@]}\" 2>/dev/null </dev/null)\"\n"
	"\tfor line in \"${lines[@]}\"; do\n"
	"\t\tcase $line in\n"
	"\t\t'') ;;\n"
	"\t\t:file*) compopt -o default 2>/dev/null ;;\n"
	"\t\t*) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"}\n"
	"complete -F _fairlead fairlead\n";

const char fl_script_zsh[] =
	"#compdef fairlead\n"
	"# zsh completion for fairlead: put it into a folder of $fpath as _fairlead, or source it\n"
	"_fairlead() {\n"
	"\tlocal line prefix\n"
	"\tlocal -a lines found shown\n"
	"\tlines=(\"${(@f)$(\"${(Q)words[1]/#\\~/$HOME}\" completion words -- \"${(@Q)words[2,CURRENT]}\" 2>/dev/null </dev/null)}\")\n"
	"\tfor line in $lines; do\n"
	"\t\tcase $line in\n"
	"\t\t(:file*)\n"
	"\t\t\tprefix=${line#*$'\\t'}\n"
	"\t\t\t[[ -z $prefix ]] || compset -P \"${(b)prefix}\"\n"
	"\t\t\t_files\n"
	"\t\t\treturn ;;\n"
	"\t\t(*)\n"
	"\t\t\tfound+=(\"${line%%$'\\t'*}\")\n"
	"\t\t\tshown+=(\"${line/$'\\t'/  }\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\tcompadd -l -d shown -a found\n"
	"}\n"
	"if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
	"\t_fairlead \"$@\"\n"
	"else\n"
	"\tcompdef _fairlead fairlead\n"
	"fi\n";

const char fl_script_fish[] =
	"# fish completion for fairlead: put it into a folder of $fish_complete_path as fairlead.fish\n"
	"function __fairlead_complete\n"
	"\tset -l words (commandline -opc) (commandline -ct)\n"
	"\tfor line in (command $words[1] completion words -- $words[2..-1] 2>/dev/null </dev/null)\n"
	"\t\tif not string match -q ':file*' -- $line\n"
	"\t\t\techo $line\n"
	"\t\t\tcontinue\n"
	"\t\tend\n"
	"\t\tset -l prefix (string split \\t -- $line)[2]\n"
	"\t\tset -l typed (string sub -s (math 1 + (string length -- $prefix)) -- $words[-1])\n"
	"\t\tfor path in (__fish_complete_path $typed)\n"
	"\t\t\techo $prefix$path\n"
	"\t\tend\n"
	"\tend\n"
	"end\n"
	"complete -c fairlead -f -a '(__fairlead_complete)'\n";
