# What the steps of action.yml share. They source it, because each is a shell of its own.

# Escapes text for a workflow command, whose lines GitHub's runners read.
command_text() {
  local text=${1//'%'/'%25'}
  text=${text//$'\r'/'%0D'}
  printf '%s' "${text//$'\n'/'%0A'}"
}

# Escapes a property of a workflow command, such as the file that an error is about.
command_property() {
  local text
  text=$(command_text "$1")
  text=${text//':'/'%3A'}
  printf '%s' "${text//','/'%2C'}"
}

# Writes text so that a summary in Markdown shows it as it is, on one line.
markdown_text() {
  local LC_ALL=C text=$1 result='' character index
  for ((index = 0; index < ${#text}; index++)); do
    character=${text:index:1}
    case $character in
    [A-Za-z0-9/.\ -]) result+=$character ;;
    [[:cntrl:]]) result+=' ' ;;
    [[:punct:]]) printf -v result '%s&#%d;' "$result" "'$character" ;;
    # A byte of another script.
    *) result+=$character ;;
    esac
  done
  printf '%s' "$result"
}

# Splits the options: all of them are for migrations, those about the models also for rehearsals and drawings, and mapping
# models for every step.
read_options() {
  local index word value
  migration_options=()
  model_options=()
  mapping_options=()
  mapping_files=()
  read -r -d '' -a migration_options <<< "$OPTIONS" || true
  for ((index = 0; index < ${#migration_options[@]}; index++)); do
    word=${migration_options[index]}
    case $word in
    --mapping | --to | --policy | --join-table)
      value=${migration_options[++index]-}
      model_options+=("$word" "$value")
      ;;
    --mapping=* | --to=* | --policy=* | --join-table=*)
      value=${word#*=}
      model_options+=("$word")
      ;;
    --no-infer | --allow-loss | --keep-history) model_options+=("$word") ;;
    esac
    case $word in
    --mapping | --mapping=*)
      mapping_options+=("--mapping=$value")
      if [[ $value == *.xcmappingmodel || $value == *.cdm ]]; then
        mapping_files+=("$value")
      else
        # A name may begin with a dash.
        [[ $value == /* ]] || value=./$value
        if [[ ! -d $value ]]; then
          printf '::error::%s\n' "$(command_text "'$value' is not a folder. Name a folder of mapping models, an .xcmappingmodel or a .cdm with --mapping.")"
          return 1
        fi
        while IFS= read -r -d '' value; do
          mapping_files+=("$value")
        done < <(find "$value" \( -name '*.xcmappingmodel' -o -name '*.cdm' \) -prune -print0 | sort -z)
      fi
      ;;
    esac
  done
}
