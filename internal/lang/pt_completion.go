package lang

// ptCompletion is the help of the completion commands, which cobra writes.
func ptCompletion(english string) string {
	switch english {
	case "Generate the autocompletion script for ativa for the specified shell.\nSee each sub-command's help for details on how to use the generated script.\n":
		return "Gerar o script de completar do ativa para o shell indicado. A ajuda de cada\nsubcomando diz como usar o script.\n"
	case "Generate the autocompletion script for bash":
		return "Gerar o script de completar para bash"
	case "Generate the autocompletion script for fish":
		return "Gerar o script de completar para fish"
	case "Generate the autocompletion script for powershell":
		return "Gerar o script de completar para powershell"
	case "Generate the autocompletion script for the bash shell.":
		return "Gerar o script de completar para o shell bash."
	case "Generate the autocompletion script for the fish shell.":
		return "Gerar o script de completar para o shell fish."
	case "Generate the autocompletion script for the specified shell":
		return "Gerar o script de completar para o shell indicado"
	case "Generate the autocompletion script for the zsh shell.":
		return "Gerar o script de completar para o shell zsh."
	case "Generate the autocompletion script for zsh":
		return "Gerar o script de completar para zsh"
	case "If shell completion is not already enabled in your environment you will need\nto enable it.  You can execute the following once:":
		return "Se completar ainda não está ligado no seu shell, é preciso ligá-lo. Execute uma vez:"
	case "This script depends on the 'bash-completion' package.\nIf it is not installed already, you can install it via your OS's package manager.":
		return "Este script depende do pacote 'bash-completion'. Se ele não está instalado, instale-o\ncom o gerenciador de pacotes do seu sistema."
	case "To load completions for every new session, add the output of the above command\nto your powershell profile.":
		return "Para completar em cada nova sessão, acrescente a saída do comando acima ao seu perfil\ndo powershell."
	case "To load completions for every new session, execute once:":
		return "Para completar em cada nova sessão, execute uma vez:"
	case "To load completions in your current shell session:":
		return "Para completar na sessão atual do shell:"
	case "You will need to start a new shell for this setup to take effect.":
		return "É preciso abrir um novo shell para que isto valha."
	case "disable completion descriptions":
		return "sem descrições ao completar"
	}
	return ""
}
