#pragma once
#include <yajl/yajl_parse.h>
